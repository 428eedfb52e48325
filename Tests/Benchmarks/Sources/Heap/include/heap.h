#include <stddef.h>

/// The bytes that the program has allocated and not freed; 0 where the allocator does not tell.
size_t heap_allocated(void);
