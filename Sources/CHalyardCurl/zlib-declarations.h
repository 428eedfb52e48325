// The part of zlib that the engine and the compression of request bodies use. CI compares it with zlib's header.

#ifndef HALYARD_ZLIB_DECLARATIONS_H
#define HALYARD_ZLIB_DECLARATIONS_H

struct halyard_zstream {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *allocate, *release, *opaque;
    int data_type;
    unsigned long checksum, reserved;
};

enum {
    HALYARD_Z_OK = 0,
    HALYARD_Z_STREAM_END = 1,
    HALYARD_Z_BUF_ERROR = -5,
    HALYARD_Z_NO_FLUSH = 0,
    HALYARD_Z_FINISH = 4,
    HALYARD_Z_DEFLATED = 8,
    HALYARD_Z_DEFAULT_COMPRESSION = -1,
    HALYARD_Z_DEFAULT_STRATEGY = 0,
};

#define HALYARD_ZLIB_FUNCTIONS(X)                                                              \
    X(zlibVersion, const char *, (void))                                                       \
    X(inflateInit2_, int, (struct halyard_zstream * stream, int bits, const char *version, int size)) \
    X(inflate, int, (struct halyard_zstream * stream, int flush))                              \
    X(inflateReset, int, (struct halyard_zstream * stream))                                    \
    X(inflateEnd, int, (struct halyard_zstream * stream))

#define HALYARD_ZLIB_DEFLATE_FUNCTIONS(X)                                                                   \
    X(zlibVersion, const char *, (void))                                                                    \
    X(deflateInit2_, int, (struct halyard_zstream * stream, int level, int method, int bits, int memory,    \
                           int strategy, const char *version, int size))                                    \
    X(deflate, int, (struct halyard_zstream * stream, int flush))                                           \
    X(deflateEnd, int, (struct halyard_zstream * stream))

#endif
