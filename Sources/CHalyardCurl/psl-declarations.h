// The part of libpsl that the library uses. CI compares it with libpsl's header.

#ifndef HALYARD_PSL_DECLARATIONS_H
#define HALYARD_PSL_DECLARATIONS_H

enum {
    HALYARD_PSL_TYPE_ANY = 3,  // suffixes of registries and of companies
};

#define HALYARD_PSL_FUNCTIONS(X)                \
    X(builtin, const void *, (void))            \
    X(is_public_suffix2, int, (const void *list, const char *name, int type))

#endif
