// What Halyard needs of C beside libcurl: charsets (see charset.h), SHA-256 (see sha256.h), and zlib's deflate without its
// headers, for the bodies of requests. On Linux zlib is loaded at run time, or linked with the package trait LinkedCurl.
// On Apple's systems it is a part of the system, and is linked.

#ifndef HALYARD_ZLIB_H
#define HALYARD_ZLIB_H

#include <stddef.h>
#include <stdint.h>

#include "charset.h"
#include "sha256.h"

typedef enum : int32_t {
    HALYARD_DEFLATE_MORE,    // needs more input or a new output buffer
    HALYARD_DEFLATE_DONE,    // the last byte of the format was written
    HALYARD_DEFLATE_FAILED,  // not possible with valid arguments
} halyard_deflate_result;

// Loads zlib. Returns NULL, or a description of the failure. Call it once, before any other function.
const char *halyard_deflate_load(const char *name);

// Begins a stream in the format gzip. Returns NULL if there is not enough memory.
void *halyard_deflate_create(void);
// Reads up to *consumed bytes and writes up to *produced bytes. Sets both to the actual numbers. After the last bytes of
// the input, call it with `finish` set until it is done.
halyard_deflate_result halyard_deflate(void *stream, const void *bytes, size_t *consumed, void *buffer,
                                       size_t *produced, int finish);
void halyard_deflate_destroy(void *stream);

#endif
