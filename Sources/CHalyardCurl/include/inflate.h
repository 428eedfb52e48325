// zlib's inflate without its headers, for bodies in gzip and deflate. zlib is loaded at run time, as libcurl is.
//
// libcurl could decompress bodies. But libcurl 7.88 accepts a compressed body that is cut short, and libcurl does not
// report how many compressed bytes it has received.

#ifndef HALYARD_INFLATE_H
#define HALYARD_INFLATE_H

#include <stddef.h>
#include <stdint.h>

typedef enum : int32_t {
    HALYARD_INFLATE_GZIP = 31,  // zlib's values for windowBits
    HALYARD_INFLATE_ZLIB = 15,
    HALYARD_INFLATE_RAW = -15,
} halyard_inflate_format;

typedef enum : int32_t {
    HALYARD_INFLATE_MORE,     // needs more input or a new output buffer
    HALYARD_INFLATE_DONE,     // the compressed stream has ended
    HALYARD_INFLATE_CORRUPT,  // the input is not in this format
} halyard_inflate_result;

// Loads zlib. Returns NULL, or a description of the failure. Call it once, before any other function.
const char *halyard_inflate_load(const char *name);

// Returns NULL if there is not enough memory.
void *halyard_inflate_create(halyard_inflate_format format);
// Begins another stream of the same format.
void halyard_inflate_reset(void *stream);
// Reads up to *consumed bytes and writes up to *produced bytes. Sets both to the actual numbers.
halyard_inflate_result halyard_inflate(void *stream, const void *bytes, size_t *consumed, void *buffer,
                                       size_t *produced);
void halyard_inflate_destroy(void *stream);

#endif
