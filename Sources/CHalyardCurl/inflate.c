#include "inflate.h"

#include <stdlib.h>

#include "dynamic-loading.h"
#include "zlib-declarations.h"

static struct {
#define FIELD(name, result, parameters) result(*name) parameters;
    HALYARD_ZLIB_FUNCTIONS(FIELD)
#undef FIELD
} zlib;

HALYARD_ZLIB_FUNCTIONS(HALYARD_DECLARE)

const char *halyard_inflate_load(const char *name) {
    HALYARD_OPEN(library, name);
#define FIND(name, result, parameters) HALYARD_FIND(library, zlib.name, name);
    HALYARD_ZLIB_FUNCTIONS(FIND)
#undef FIND
    return NULL;
}

void *halyard_inflate_create(halyard_inflate_format format) {
    struct halyard_zstream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    // zlib compares this version with its own. The ABI has not changed since 1.0, and zlib checks the structure's size.
    if (zlib.inflateInit2_(stream, format, zlib.zlibVersion(), sizeof *stream) == HALYARD_Z_OK) return stream;
    free(stream);
    return NULL;
}

void halyard_inflate_reset(void *stream) { zlib.inflateReset(stream); }

halyard_inflate_result halyard_inflate(void *opaque, const void *bytes, size_t *consumed, void *buffer,
                                       size_t *produced) {
    struct halyard_zstream *stream = opaque;
    unsigned input = *consumed > 1 << 30 ? 1 << 30 : (unsigned)*consumed;
    unsigned output = *produced > 1 << 30 ? 1 << 30 : (unsigned)*produced;
    stream->next_in = bytes;
    stream->avail_in = input;
    stream->next_out = buffer;
    stream->avail_out = output;
    int result = zlib.inflate(stream, HALYARD_Z_NO_FLUSH);
    *consumed = input - stream->avail_in;
    *produced = output - stream->avail_out;
    if (result == HALYARD_Z_STREAM_END) return HALYARD_INFLATE_DONE;
    // Z_BUF_ERROR means that no progress was possible with these buffers. It is not an error (zlib.h).
    return result == HALYARD_Z_OK || result == HALYARD_Z_BUF_ERROR ? HALYARD_INFLATE_MORE : HALYARD_INFLATE_CORRUPT;
}

void halyard_inflate_destroy(void *stream) {
    if (stream) zlib.inflateEnd(stream);
    free(stream);
}
