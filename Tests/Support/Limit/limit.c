#include "DescriptorLimit.h"
#include <sys/resource.h>

// The tests need some thousand descriptors: all tests run at once, and each has its own servers, clients and engines.
enum { wanted = 16384 };

// On many systems the limit is 1024 until the process raises it.
__attribute__((constructor)) static void raise_the_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}
