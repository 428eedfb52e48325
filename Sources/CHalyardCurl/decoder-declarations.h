// The parts of libbrotlidec and libzstd that the engine uses. CI compares them with the headers of both.

#ifndef HALYARD_DECODER_DECLARATIONS_H
#define HALYARD_DECODER_DECLARATIONS_H

#include <stddef.h>
#include <stdint.h>

enum {
    HALYARD_BROTLI_ERROR = 0,
    HALYARD_BROTLI_SUCCESS = 1,
    HALYARD_ZSTD_WINDOW_LOG_MAX = 100,
};

#ifndef BROTLI_DEC_DECODE_H_
typedef struct BrotliDecoderStateStruct BrotliDecoderState;
typedef int BrotliDecoderResult;
typedef void *(*brotli_alloc_func)(void *opaque, size_t size);
typedef void (*brotli_free_func)(void *opaque, void *address);
#endif

#ifndef ZSTD_H_235446
typedef struct ZSTD_DCtx_s ZSTD_DCtx;
typedef int ZSTD_dParameter;
typedef struct {
    const void *src;
    size_t size;
    size_t pos;
} ZSTD_inBuffer;
typedef struct {
    void *dst;
    size_t size;
    size_t pos;
} ZSTD_outBuffer;
#endif

#define HALYARD_BROTLI_FUNCTIONS(X)                                                                              \
    X(BrotliDecoderCreateInstance, BrotliDecoderState *, (brotli_alloc_func, brotli_free_func, void *))          \
    X(BrotliDecoderDecompressStream, BrotliDecoderResult,                                                        \
      (BrotliDecoderState *, size_t *available_in, const uint8_t **next_in, size_t *available_out, uint8_t **next_out, \
       size_t *total_out))                                                                                       \
    X(BrotliDecoderDestroyInstance, void, (BrotliDecoderState *))

#define HALYARD_ZSTD_FUNCTIONS(X)                                                 \
    X(ZSTD_createDCtx, ZSTD_DCtx *, (void))                                       \
    X(ZSTD_DCtx_setParameter, size_t, (ZSTD_DCtx *, ZSTD_dParameter, int value))  \
    X(ZSTD_decompressStream, size_t, (ZSTD_DCtx *, ZSTD_outBuffer *, ZSTD_inBuffer *)) \
    X(ZSTD_freeDCtx, size_t, (ZSTD_DCtx *))                                       \
    X(ZSTD_isError, unsigned, (size_t result))

#endif
