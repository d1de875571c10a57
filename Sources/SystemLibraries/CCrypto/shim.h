/* libcrypto (OpenSSL 3) as Swift sees it: digests and HMAC. */
#pragma once

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

/* Starts libcrypto without its clean-up at exit(3), which would pull the ground from under threads that still use it. */
static inline int docfs_start_crypto(void) {
    return OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
