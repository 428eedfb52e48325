#include "inflate.h"

#include <stdlib.h>

#include "dynamic-loading.h"
#include "zlib-declarations.h"
#include "zlib-step.h"

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
    int result = halyard_zlib_step(zlib.inflate, opaque, HALYARD_Z_NO_FLUSH, bytes, consumed, buffer, produced);
    if (result == HALYARD_Z_STREAM_END) return HALYARD_INFLATE_DONE;
    return halyard_zlib_may_continue(result) ? HALYARD_INFLATE_MORE : HALYARD_INFLATE_CORRUPT;
}

void halyard_inflate_destroy(void *stream) {
    if (stream) zlib.inflateEnd(stream);
    free(stream);
}
