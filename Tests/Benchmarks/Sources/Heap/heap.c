#include "heap.h"

#include <stdlib.h>

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
#include <malloc.h>

// Swift's module of the C library does not declare this function.
size_t heap_allocated(void) {
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}
#else
size_t heap_allocated(void) { return 0; }
#endif
