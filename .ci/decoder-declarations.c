// Compiles only if each of our declarations agrees with the headers of brotli and zstd.
#include <brotli/decode.h>
#include <zstd.h>

#include "decoder-declarations.h"

#define SAME(name, result, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name);
HALYARD_BROTLI_FUNCTIONS(SAME)
HALYARD_ZSTD_FUNCTIONS(SAME)
_Static_assert((int)HALYARD_BROTLI_ERROR == (int)BROTLI_DECODER_RESULT_ERROR, "results");
_Static_assert((int)HALYARD_BROTLI_SUCCESS == (int)BROTLI_DECODER_RESULT_SUCCESS, "results");
_Static_assert((int)HALYARD_ZSTD_WINDOW_LOG_MAX == (int)ZSTD_d_windowLogMax, "the parameter");
// Without their headers, the types of enumerations are declared as int.
_Static_assert(sizeof(BrotliDecoderResult) == sizeof(int) && sizeof(ZSTD_dParameter) == sizeof(int), "enumerations");
_Static_assert(offsetof(ZSTD_inBuffer, size) == sizeof(void *) && offsetof(ZSTD_inBuffer, pos) == 2 * sizeof(void *), "");
_Static_assert(offsetof(ZSTD_outBuffer, size) == sizeof(void *) && offsetof(ZSTD_outBuffer, pos) == 2 * sizeof(void *), "");
