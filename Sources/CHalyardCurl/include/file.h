// Reading from the page cache, which the platform modules of Swift's toolchain do not have.

#ifndef HALYARD_FILE_H
#define HALYARD_FILE_H

#include <stddef.h>
#include <stdint.h>

// Reads what the system has in memory of a file at an offset, without waiting for the disk (preadv2 with RWF_NOWAIT).
// Returns the number of bytes, 0 at the end of the file, or -1 if the disk is needed, or if the file system cannot tell.
long halyard_read_cached(int descriptor, int64_t offset, void *buffer, size_t capacity);

#endif
