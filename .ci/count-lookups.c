// Replaces the system's getaddrinfo: names.example has the address 127.0.0.1, and each lookup of it appends a line to the
// file HALYARD_LOOKUPS.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(RTLD_NEXT, "getaddrinfo");
    if (!node || strcmp(node, "names.example") != 0) return next(node, service, hints, result);
    FILE *list = fopen(getenv("HALYARD_LOOKUPS"), "a");
    if (list) {
        fprintf(list, "%s\n", node);
        fclose(list);
    }
    return next("127.0.0.1", service, hints, result);
}
