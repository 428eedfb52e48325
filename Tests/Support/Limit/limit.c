#include "DescriptorLimit.h"
#include <sys/resource.h>

// Some thousand descriptors: all tests run at once, and each has servers, clients and engines of its own.
enum { wanted = 16384 };

// Many systems give a process 1024 until it asks for more.
__attribute__((constructor)) static void raise_the_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}
