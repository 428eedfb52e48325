// Compiles only if each of our declarations agrees with libpsl's header.
#include <libpsl.h>

#include "psl-declarations.h"

_Static_assert(HALYARD_PSL_TYPE_ANY == PSL_TYPE_ANY, "PSL_TYPE_ANY");
// Its list is an opaque pointer here.
_Static_assert(__builtin_types_compatible_p(__typeof__(&psl_builtin), const psl_ctx_t *(*)(void)), "psl_builtin");
_Static_assert(
    __builtin_types_compatible_p(__typeof__(&psl_is_public_suffix2), int (*)(const psl_ctx_t *, const char *, int)),
    "psl_is_public_suffix2");
