// How functions of other libraries are found: looked up at run time, or linked with the trait LinkedCurl.

#ifndef HALYARD_LIBRARY_H
#define HALYARD_LIBRARY_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef HALYARD_LINKED
#define HALYARD_DECLARE(symbol, result, parameters) result symbol parameters;
#define HALYARD_OPEN(library, name) (void)(name)
#define HALYARD_FIND(library, place, symbol) place = symbol
#else
#define HALYARD_DECLARE(symbol, result, parameters)
#define HALYARD_OPEN(library, name)                     \
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL); \
    if (!library) return dlerror()
// POSIX wants the detour over void **: C has no cast from an object's address to a function's.
#define HALYARD_FIND(library, place, symbol) \
    if (!(*(void **)&place = dlsym(library, #symbol))) return "it has no function " #symbol
#endif

#endif
