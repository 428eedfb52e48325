// libpsl's list of public suffixes without its headers, for the domains of cookies. libpsl is loaded at run time, as
// libcurl is.

#ifndef HALYARD_PSL_H
#define HALYARD_PSL_H

#include <stdbool.h>

// Loads libpsl and its list. Returns NULL, or a description of the failure. Call it once, before any other function.
const char *halyard_psl_load(const char *name);
// Whether a name is a public suffix, under which anybody can register a domain. The name is in lower case. Any thread
// may call it.
bool halyard_psl_is_public_suffix(const char *name);

#endif
