#include "decoders.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "decoder-declarations.h"

static struct {
#define FIELD(name, result, parameters) result(*name) parameters;
    HALYARD_BROTLI_FUNCTIONS(FIELD)
    HALYARD_ZSTD_FUNCTIONS(FIELD)
#undef FIELD
} library;

#ifdef HALYARD_LINKED
#define OPEN(handle, name) (void)(name); return "programs that link libcurl have no other decoders"; void *handle = NULL
#else
#define OPEN(handle, name)                              \
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL); \
    if (!handle) return dlerror()
#endif
// C has no cast from an object pointer to a function pointer. POSIX recommends this form.
#define FIND(name, result, parameters) \
    if (!(*(void **)&library.name = dlsym(handle, #name))) return "it has no function " #name;

const char *halyard_brotli_load(const char *name) {
    OPEN(handle, name);
    HALYARD_BROTLI_FUNCTIONS(FIND)
    return NULL;
}

const char *halyard_zstd_load(const char *name) {
    OPEN(handle, name);
    HALYARD_ZSTD_FUNCTIONS(FIND)
    return NULL;
}

void *halyard_brotli_create(void) { return library.BrotliDecoderCreateInstance(NULL, NULL, NULL); }

halyard_inflate_result halyard_brotli_decode(void *stream, const void *bytes, size_t *consumed, void *buffer,
                                             size_t *produced) {
    const uint8_t *in = bytes;
    uint8_t *out = buffer;
    size_t in_left = *consumed, out_left = *produced;
    BrotliDecoderResult result = library.BrotliDecoderDecompressStream(stream, &in_left, &in, &out_left, &out, NULL);
    *consumed -= in_left;
    *produced -= out_left;
    if (result == HALYARD_BROTLI_ERROR) return HALYARD_INFLATE_CORRUPT;
    return result == HALYARD_BROTLI_SUCCESS ? HALYARD_INFLATE_DONE : HALYARD_INFLATE_MORE;
}

void halyard_brotli_destroy(void *stream) {
    if (stream) library.BrotliDecoderDestroyInstance(stream);
}

void *halyard_zstd_create(void) {
    ZSTD_DCtx *stream = library.ZSTD_createDCtx();
    if (stream && !library.ZSTD_isError(library.ZSTD_DCtx_setParameter(stream, HALYARD_ZSTD_WINDOW_LOG_MAX, 23)))
        return stream;
    halyard_zstd_destroy(stream);
    return NULL;
}

halyard_inflate_result halyard_zstd_decode(void *stream, const void *bytes, size_t *consumed, void *buffer,
                                           size_t *produced) {
    ZSTD_inBuffer in = {bytes, *consumed, 0};
    ZSTD_outBuffer out = {buffer, *produced, 0};
    size_t result = library.ZSTD_decompressStream(stream, &out, &in);
    *consumed = in.pos;
    *produced = out.pos;
    if (library.ZSTD_isError(result)) return HALYARD_INFLATE_CORRUPT;
    return result == 0 ? HALYARD_INFLATE_DONE : HALYARD_INFLATE_MORE;
}

void halyard_zstd_destroy(void *stream) { library.ZSTD_freeDCtx(stream); }
