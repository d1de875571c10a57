/* libcurl as Swift sees it. Constants and functions import as they are; functions with variable arguments do not, so
 * each type of argument that is needed has a wrapper here. */
#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

static inline CURLcode docfs_curl_set_long(CURL *transfer, CURLoption option, long value) {
    return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode docfs_curl_set_size(CURL *transfer, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode docfs_curl_set_pointer(CURL *transfer, CURLoption option, void *value) {
    return curl_easy_setopt(transfer, option, value);
}

/* libcurl copies the text. */
static inline CURLcode docfs_curl_set_text(CURL *transfer, CURLoption option, const char *value) {
    return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode docfs_curl_set_data_function(CURL *transfer, CURLoption option, curl_write_callback function) {
    return curl_easy_setopt(transfer, option, function);
}

static inline CURLcode docfs_curl_set_socket_function(CURL *transfer, curl_sockopt_callback function) {
    return curl_easy_setopt(transfer, CURLOPT_SOCKOPTFUNCTION, function);
}

static inline CURLcode docfs_curl_get_long(CURL *transfer, CURLINFO info, long *value) {
    return curl_easy_getinfo(transfer, info, value);
}

static inline CURLMcode docfs_curl_set_multi_long(CURLM *transfers, CURLMoption option, long value) {
    return curl_multi_setopt(transfers, option, value);
}
