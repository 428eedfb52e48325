#include "suffixes.h"

#include <dlfcn.h>
#include <stddef.h>

#include "psl-declarations.h"

static struct {
#define FIELD(name, result, parameters) result(*name) parameters;
    HALYARD_PSL_FUNCTIONS(FIELD)
#undef FIELD
} psl;

static const void *list;

const char *halyard_suffixes_load(const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
#define FIND(name, result, parameters) \
    if (!(*(void **)&psl.name = dlsym(library, "psl_" #name))) return "it has no function psl_" #name;
    HALYARD_PSL_FUNCTIONS(FIND)
#undef FIND
    // It may have been built without a list.
    list = psl.builtin();
    return list ? NULL : "it has no list";
}

bool halyard_suffixes_contain(const char *name) {
    return psl.is_public_suffix2(list, name, HALYARD_PSL_TYPE_ANY) != 0;
}
