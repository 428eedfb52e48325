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

void *halyard_inflate_begin(halyard_inflate_format format) {
    struct halyard_zstream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    // Its own version: the ABI has been the same since 1.0, and the size of the structure is checked.
    if (zlib.inflateInit2_(stream, format, zlib.zlibVersion(), sizeof *stream) == HALYARD_Z_OK) return stream;
    free(stream);
    return NULL;
}

void halyard_inflate_again(void *stream) { zlib.inflateReset(stream); }

halyard_inflate_result halyard_inflate(void *opaque, const void *bytes, size_t *taken, void *room, size_t *given) {
    struct halyard_zstream *stream = opaque;
    unsigned input = *taken > 1 << 30 ? 1 << 30 : (unsigned)*taken;
    unsigned output = *given > 1 << 30 ? 1 << 30 : (unsigned)*given;
    stream->next_in = bytes;
    stream->avail_in = input;
    stream->next_out = room;
    stream->avail_out = output;
    int result = zlib.inflate(stream, HALYARD_Z_NO_FLUSH);
    *taken = input - stream->avail_in;
    *given = output - stream->avail_out;
    if (result == HALYARD_Z_STREAM_END) return HALYARD_INFLATE_DONE;
    // Z_BUF_ERROR: nothing could be done with what there was, which is no error (zlib.h).
    return result == HALYARD_Z_OK || result == HALYARD_Z_BUF_ERROR ? HALYARD_INFLATE_MORE : HALYARD_INFLATE_CORRUPT;
}

void halyard_inflate_end(void *stream) {
    if (stream) zlib.inflateEnd(stream);
    free(stream);
}
