/* zlib as Swift sees it: what it has as macros. */
#pragma once

#include <zlib.h>

/* Without a header of its own, as archives have it. */
static inline int docfs_begin_deflating(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}
