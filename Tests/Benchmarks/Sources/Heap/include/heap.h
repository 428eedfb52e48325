#include <stddef.h>

/// Returns the bytes that the program has allocated and not freed; 0 if the allocator does not report them.
size_t heap_allocated(void);
