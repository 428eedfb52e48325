#include "charset.h"

#if defined(__APPLE__) || !__has_include(<iconv.h>)

void *halyard_charset_open(const char *name) { return NULL; }

halyard_charset_result halyard_charset_convert(void *charset, const void *bytes, size_t *consumed, void *buffer,
                                               size_t *produced) {
    *consumed = *produced = 0;
    return HALYARD_CHARSET_INVALID;
}

void halyard_charset_close(void *charset) {}

#else

#include <errno.h>
#include <iconv.h>

void *halyard_charset_open(const char *name) {
    iconv_t charset = iconv_open("UTF-8", name);
    return charset == (iconv_t)-1 ? NULL : charset;
}

halyard_charset_result halyard_charset_convert(void *charset, const void *bytes, size_t *consumed, void *buffer,
                                               size_t *produced) {
    char *in = (char *)bytes, *out = buffer;  // iconv does not change the input.
    size_t unread = *consumed, room = *produced;
    size_t result = iconv(charset, in ? &in : NULL, &unread, &out, &room);
    int error = errno;
    *consumed -= unread;
    *produced -= room;
    if (result != (size_t)-1) return HALYARD_CHARSET_DONE;
    return error == E2BIG    ? HALYARD_CHARSET_FULL
           : error == EINVAL ? HALYARD_CHARSET_INCOMPLETE
                             : HALYARD_CHARSET_INVALID;
}

void halyard_charset_close(void *charset) { iconv_close(charset); }

#endif
