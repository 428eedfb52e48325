// Converts text to UTF-8 with the C library's iconv. On Apple's systems there is none here: Foundation converts.

#ifndef HALYARD_CHARSET_H
#define HALYARD_CHARSET_H

#include <stddef.h>
#include <stdint.h>

typedef enum : int32_t {
    HALYARD_CHARSET_DONE,        // all bytes were read
    HALYARD_CHARSET_FULL,        // needs a new output buffer
    HALYARD_CHARSET_INVALID,     // the next byte begins no character
    HALYARD_CHARSET_INCOMPLETE,  // the bytes end within a character
} halyard_charset_result;

// Returns NULL for a charset that the system does not know.
void *halyard_charset_open(const char *name);
// Reads up to *consumed bytes and writes up to *produced bytes. Sets both to the actual numbers. Without bytes (NULL), it
// writes a character that waits for an accent to follow it.
halyard_charset_result halyard_charset_convert(void *charset, const void *bytes, size_t *consumed, void *buffer,
                                               size_t *produced);
void halyard_charset_close(void *charset);

#endif
