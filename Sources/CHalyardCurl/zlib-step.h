// One step of zlib, for compression and decompression.

#ifndef HALYARD_ZLIB_STEP_H
#define HALYARD_ZLIB_STEP_H

#include <stddef.h>

#include "zlib-declarations.h"

// zlib counts the bytes of a step with 32 bits.
enum { HALYARD_ZLIB_STEP_LIMIT = 1 << 30 };

// Reads and writes at most 1 GiB, and sets the counts to the bytes that were read and written. Returns zlib's result.
static inline int halyard_zlib_step(int (*step)(struct halyard_zstream *, int), struct halyard_zstream *stream,
                                    int flush, const void *bytes, size_t *consumed, void *buffer, size_t *produced) {
    unsigned input = *consumed > HALYARD_ZLIB_STEP_LIMIT ? HALYARD_ZLIB_STEP_LIMIT : (unsigned)*consumed;
    unsigned output = *produced > HALYARD_ZLIB_STEP_LIMIT ? HALYARD_ZLIB_STEP_LIMIT : (unsigned)*produced;
    stream->next_in = bytes;
    stream->avail_in = input;
    stream->next_out = buffer;
    stream->avail_out = output;
    int result = step(stream, flush);
    *consumed = input - stream->avail_in;
    *produced = output - stream->avail_out;
    return result;
}

// Whether a step made progress or could not make any. Z_BUF_ERROR means that no progress was possible with these
// buffers. It is not an error (zlib.h).
static inline int halyard_zlib_may_continue(int result) {
    return result == HALYARD_Z_OK || result == HALYARD_Z_BUF_ERROR;
}

#endif
