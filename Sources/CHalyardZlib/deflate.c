#include "CHalyardZlib.h"

#include <stdlib.h>

#include "../CHalyardCurl/dynamic-loading.h"
#include "../CHalyardCurl/zlib-declarations.h"

static struct {
#define FIELD(name, result, parameters) result(*name) parameters;
    HALYARD_ZLIB_DEFLATE_FUNCTIONS(FIELD)
#undef FIELD
} zlib;

HALYARD_ZLIB_DEFLATE_FUNCTIONS(HALYARD_DECLARE)

const char *halyard_deflate_load(const char *name) {
    HALYARD_OPEN(library, name);
#define FIND(name, result, parameters) HALYARD_FIND(library, zlib.name, name);
    HALYARD_ZLIB_DEFLATE_FUNCTIONS(FIND)
#undef FIND
    return NULL;
}

void *halyard_deflate_create(void) {
    struct halyard_zstream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    // The window of 2^15 bytes and 16, which is the format gzip; 8 is zlib's default for the memory.
    int result = zlib.deflateInit2_(stream, HALYARD_Z_DEFAULT_COMPRESSION, HALYARD_Z_DEFLATED, 15 + 16, 8,
                                    HALYARD_Z_DEFAULT_STRATEGY, zlib.zlibVersion(), sizeof *stream);
    if (result == HALYARD_Z_OK) return stream;
    free(stream);
    return NULL;
}

halyard_deflate_result halyard_deflate(void *opaque, const void *bytes, size_t *consumed, void *buffer,
                                       size_t *produced, int finish) {
    struct halyard_zstream *stream = opaque;
    unsigned input = *consumed > 1 << 30 ? 1 << 30 : (unsigned)*consumed;
    unsigned output = *produced > 1 << 30 ? 1 << 30 : (unsigned)*produced;
    stream->next_in = bytes;
    stream->avail_in = input;
    stream->next_out = buffer;
    stream->avail_out = output;
    // More input than this call takes follows in the next one, which then ends the stream.
    int ends = finish && input == *consumed;
    int result = zlib.deflate(stream, ends ? HALYARD_Z_FINISH : HALYARD_Z_NO_FLUSH);
    *consumed = input - stream->avail_in;
    *produced = output - stream->avail_out;
    if (result == HALYARD_Z_STREAM_END) return HALYARD_DEFLATE_DONE;
    // Z_BUF_ERROR means that no progress was possible with these buffers. It is not an error (zlib.h).
    return result == HALYARD_Z_OK || result == HALYARD_Z_BUF_ERROR ? HALYARD_DEFLATE_MORE : HALYARD_DEFLATE_FAILED;
}

void halyard_deflate_destroy(void *stream) {
    if (stream) zlib.deflateEnd(stream);
    free(stream);
}
