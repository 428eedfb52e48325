// Finds the functions of other libraries: by name at run time, or linked with the package trait LinkedCurl.

#ifndef HALYARD_DYNAMIC_LOADING_H
#define HALYARD_DYNAMIC_LOADING_H

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
// C has no cast from an object pointer to a function pointer. POSIX recommends this form.
#define HALYARD_FIND(library, place, symbol) \
    if (!(*(void **)&place = dlsym(library, #symbol))) return "it has no function " #symbol
#endif

#endif
