// Compiles only if each of our declarations agrees with zlib's header.
#include <stddef.h>
#include <zlib.h>

#include "zlib-declarations.h"

#define SAME_FIELD(ours, theirs)                                                                              \
    _Static_assert(offsetof(struct halyard_zstream, ours) == offsetof(z_stream, theirs), #ours);              \
    _Static_assert(sizeof(((struct halyard_zstream *)0)->ours) == sizeof(((z_stream *)0)->theirs), #ours);
SAME_FIELD(next_in, next_in)
SAME_FIELD(avail_in, avail_in)
SAME_FIELD(next_out, next_out)
SAME_FIELD(avail_out, avail_out)
SAME_FIELD(message, msg)
SAME_FIELD(state, state)
SAME_FIELD(data_type, data_type)
SAME_FIELD(reserved, reserved)
_Static_assert(sizeof(struct halyard_zstream) == sizeof(z_stream), "z_stream");
_Static_assert(HALYARD_Z_OK == Z_OK && HALYARD_Z_STREAM_END == Z_STREAM_END, "results");
_Static_assert(HALYARD_Z_BUF_ERROR == Z_BUF_ERROR && HALYARD_Z_NO_FLUSH == Z_NO_FLUSH, "results");
_Static_assert(__builtin_types_compatible_p(__typeof__(&zlibVersion), const char *(*)(void)), "zlibVersion");
_Static_assert(__builtin_types_compatible_p(__typeof__(&inflateInit2_), int (*)(z_stream *, int, const char *, int)), "");
_Static_assert(__builtin_types_compatible_p(__typeof__(&inflate), int (*)(z_stream *, int)), "inflate");
_Static_assert(__builtin_types_compatible_p(__typeof__(&inflateReset), int (*)(z_stream *)), "inflateReset");
_Static_assert(__builtin_types_compatible_p(__typeof__(&inflateEnd), int (*)(z_stream *)), "inflateEnd");
_Static_assert(HALYARD_Z_FINISH == Z_FINISH && HALYARD_Z_DEFLATED == Z_DEFLATED, "constants of deflate");
_Static_assert(HALYARD_Z_DEFAULT_COMPRESSION == Z_DEFAULT_COMPRESSION, "constants of deflate");
_Static_assert(HALYARD_Z_DEFAULT_STRATEGY == Z_DEFAULT_STRATEGY, "constants of deflate");
_Static_assert(__builtin_types_compatible_p(__typeof__(&deflateInit2_),
                                            int (*)(z_stream *, int, int, int, int, int, const char *, int)), "");
_Static_assert(__builtin_types_compatible_p(__typeof__(&deflate), int (*)(z_stream *, int)), "deflate");
_Static_assert(__builtin_types_compatible_p(__typeof__(&deflateEnd), int (*)(z_stream *)), "deflateEnd");
