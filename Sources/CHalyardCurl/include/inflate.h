// zlib's inflate without its headers, found at run time as libcurl is: for bodies in gzip and deflate.
//
// libcurl could do it, but takes a body that is cut short for a whole one (7.88), and cannot say how far it has come.

#ifndef HALYARD_INFLATE_H
#define HALYARD_INFLATE_H

#include <stddef.h>
#include <stdint.h>

typedef enum : int32_t {
    HALYARD_INFLATE_GZIP = 31,  // windowBits, as zlib has them
    HALYARD_INFLATE_ZLIB = 15,
    HALYARD_INFLATE_RAW = -15,
} halyard_inflate_format;

typedef enum : int32_t {
    HALYARD_INFLATE_MORE,     // wants more input, or more room
    HALYARD_INFLATE_DONE,     // the stream has ended
    HALYARD_INFLATE_CORRUPT,  // what came is no such stream
} halyard_inflate_result;

// Finds zlib. NULL when all is well, else what was missing. Call it once, before all else.
const char *halyard_inflate_load(const char *name);

// NULL when out of memory.
void *halyard_inflate_begin(halyard_inflate_format format);
// Starts the next stream of the same format.
void halyard_inflate_again(void *stream);
// Reads up to *taken bytes, writes up to *given; says how many it was of each.
halyard_inflate_result halyard_inflate(void *stream, const void *bytes, size_t *taken, void *room, size_t *given);
void halyard_inflate_end(void *stream);

#endif
