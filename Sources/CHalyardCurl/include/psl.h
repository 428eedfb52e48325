// libpsl's list of public suffixes without its headers, found at run time as libcurl is: for the domains of cookies.

#ifndef HALYARD_SUFFIXES_H
#define HALYARD_SUFFIXES_H

#include <stdbool.h>

// Finds libpsl and its list. NULL when all is well, else what was missing. Call it once, before all else.
const char *halyard_suffixes_load(const char *name);
// Whether anybody can have a domain under the name, which is in lower case. From any thread.
bool halyard_suffixes_contain(const char *name);

#endif
