// The functions of libcurl that the engine uses: name, result, parameters. CI compares each with libcurl's header.
// In that header too, handles are void pointers. libcurl's enumerations are unsigned, except for the multi codes.

#ifndef HALYARD_LIBCURL_DECLARATIONS_H
#define HALYARD_LIBCURL_DECLARATIONS_H

#include <stddef.h>
#include <stdint.h>

#define HALYARD_FUNCTIONS(X)                                             \
    X(global_init, unsigned, (long flags))                               \
    X(easy_init, void *, (void))                                         \
    X(easy_reset, void, (void *easy))                                    \
    X(easy_cleanup, void, (void *easy))                                  \
    X(easy_strerror, const char *, (unsigned code))                      \
    X(easy_setopt, unsigned, (void *easy, unsigned option, ...))         \
    X(easy_getinfo, unsigned, (void *easy, unsigned info, ...))          \
    X(easy_pause, unsigned, (void *easy, int bitmask))                   \
    X(easy_recv, unsigned, (void *easy, void *buffer, size_t capacity, size_t *received)) \
    X(easy_send, unsigned, (void *easy, const void *bytes, size_t count, size_t *sent)) \
    X(multi_init, void *, (void))                                        \
    X(multi_cleanup, int, (void *multi))                                 \
    X(multi_add_handle, int, (void *multi, void *easy))                  \
    X(multi_remove_handle, int, (void *multi, void *easy))               \
    X(multi_socket_action, int, (void *multi, int socket, int ready, int *running)) \
    X(multi_setopt, int, (void *multi, unsigned option, ...))

// The result of curl_multi_info_read.
struct halyard_message {
    unsigned kind;
    void *easy;
    union {
        void *whatever;
        unsigned result;
    } data;
};

// The value of a blob option. With flags 1 libcurl copies the bytes.
struct halyard_blob {
    const void *data;
    size_t length;
    unsigned flags;
};

// The first fields of the result of curl_version_info.
struct halyard_version_info {
    unsigned age;
    const char *version;
    unsigned number;
    const char *host;
    int features;
    const char *tls_library;
};

#endif
