// The decoders of brotli (RFC 7932) and zstd (RFC 8878) without their headers. Both are loaded at run time, and a machine
// may lack them. A program with the package trait LinkedCurl has none: it links no further libraries.

#ifndef HALYARD_DECODERS_H
#define HALYARD_DECODERS_H

#include "inflate.h"

// Load a library. Both return NULL, or a description of the failure. Call each once, before its other functions.
const char *halyard_brotli_load(const char *name);
const char *halyard_zstd_load(const char *name);

// The other functions are like those for zlib. After the end of a frame, halyard_zstd_decode begins another one.
void *halyard_brotli_create(void);
halyard_inflate_result halyard_brotli_decode(void *stream, const void *bytes, size_t *consumed, void *buffer,
                                             size_t *produced);
void halyard_brotli_destroy(void *stream);

// Decodes frames with a window of up to 8 MiB, which is what RFC 9659 allows a server to use.
void *halyard_zstd_create(void);
halyard_inflate_result halyard_zstd_decode(void *stream, const void *bytes, size_t *consumed, void *buffer,
                                           size_t *produced);
void halyard_zstd_destroy(void *stream);

#endif
