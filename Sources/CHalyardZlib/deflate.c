#include "CHalyardZlib.h"

#include <stdlib.h>

#include "../CHalyardCurl/dynamic-loading.h"
#include "../CHalyardCurl/zlib-declarations.h"
#include "../CHalyardCurl/zlib-step.h"

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
    // More input than this call takes follows in the next one, which then ends the stream.
    int flush = finish && *consumed <= HALYARD_ZLIB_STEP_LIMIT ? HALYARD_Z_FINISH : HALYARD_Z_NO_FLUSH;
    int result = halyard_zlib_step(zlib.deflate, opaque, flush, bytes, consumed, buffer, produced);
    if (result == HALYARD_Z_STREAM_END) return HALYARD_DEFLATE_DONE;
    return halyard_zlib_may_continue(result) ? HALYARD_DEFLATE_MORE : HALYARD_DEFLATE_FAILED;
}

void halyard_deflate_destroy(void *stream) {
    if (stream) zlib.deflateEnd(stream);
    free(stream);
}
