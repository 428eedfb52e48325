#define _GNU_SOURCE  // preadv2
#include "file.h"

#if defined(__linux__)
#include <sys/uio.h>
#endif

// musl has preadv2 since 1.2.5. The Linux kernel has the flag since 4.14.
#if defined(RWF_NOWAIT)
long halyard_read_cached(int descriptor, int64_t offset, void *buffer, size_t capacity) {
    struct iovec part = {buffer, capacity};
    return preadv2(descriptor, &part, 1, offset, RWF_NOWAIT);
}
#else
long halyard_read_cached(int descriptor, int64_t offset, void *buffer, size_t capacity) { return -1; }
#endif
