#include "psl.h"

#include <stddef.h>

#include "dynamic-loading.h"
#include "psl-declarations.h"

static struct {
#define FIELD(name, result, parameters) result(*name) parameters;
    HALYARD_PSL_FUNCTIONS(FIELD)
#undef FIELD
} psl;

#define DECLARE(name, result, parameters) HALYARD_DECLARE(psl_##name, result, parameters)
HALYARD_PSL_FUNCTIONS(DECLARE)
#undef DECLARE

static const void *list;

const char *halyard_psl_load(const char *name) {
    HALYARD_OPEN(library, name);
#define FIND(name, result, parameters) HALYARD_FIND(library, psl.name, psl_##name);
    HALYARD_PSL_FUNCTIONS(FIND)
#undef FIND
    // libpsl can be built without a list.
    list = psl.builtin();
    return list ? NULL : "it has no list";
}

bool halyard_psl_is_public_suffix(const char *name) {
    return psl.is_public_suffix2(list, name, HALYARD_PSL_TYPE_ANY) != 0;
}
