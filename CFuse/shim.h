/* libfuse3 as Swift sees it. Constants and structs import as they are; macros do not, so each that is
 * needed has a wrapper here. */
#pragma once

#define FUSE_USE_VERSION 314
#include <stddef.h>
#include <fuse_lowlevel.h>

/* fuse_session_loop_mt is a macro that picks the symbol of the API version. */
static inline int docfs_session_loop_mt(struct fuse_session *session, struct fuse_loop_config *config) {
    return fuse_session_loop_mt(session, config);
}

/* FUSE_BUFVEC_INIT: a vector of one buffer that is `size` bytes at `position` of a file descriptor. */
static inline struct fuse_bufvec docfs_file_buffer(int descriptor, size_t size, off_t position) {
    struct fuse_bufvec vector = FUSE_BUFVEC_INIT(size);
    vector.buf[0].flags = (enum fuse_buf_flags)(FUSE_BUF_IS_FD | FUSE_BUF_FD_SEEK);
    vector.buf[0].fd = descriptor;
    vector.buf[0].pos = position;
    return vector;
}
