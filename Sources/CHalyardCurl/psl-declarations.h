// What is used of libpsl. CI compares it with the real header.

#ifndef HALYARD_PSL_H
#define HALYARD_PSL_H

enum {
    HALYARD_PSL_TYPE_ANY = 3,  // registries' and companies' suffixes
};

#define HALYARD_PSL_FUNCTIONS(X)                \
    X(builtin, const void *, (void))            \
    X(is_public_suffix2, int, (const void *list, const char *name, int type))

#endif
