// Replaces the system's getaddrinfo, so that each lookup of a name takes twenty seconds, as with a dead name server.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(RTLD_NEXT, "getaddrinfo");
    if (node && (node[0] < '0' || node[0] > '9')) sleep(20);
    return next(node, service, hints, result);
}
