// The functions of libcurl that are used: name, result, parameters. CI compares each with the real header.
// Handles are void pointers there as well; libcurl's enumerations are unsigned, but for its multi codes.

#ifndef HALYARD_FUNCTIONS_H
#define HALYARD_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

struct curl_slist;

#define HALYARD_FUNCTIONS(X)                                             \
    X(global_init, unsigned, (long flags))                               \
    X(easy_init, void *, (void))                                         \
    X(easy_reset, void, (void *easy))                                    \
    X(easy_cleanup, void, (void *easy))                                  \
    X(easy_strerror, const char *, (unsigned code))                      \
    X(easy_setopt, unsigned, (void *easy, unsigned option, ...))         \
    X(easy_getinfo, unsigned, (void *easy, unsigned info, ...))          \
    X(easy_pause, unsigned, (void *easy, int bitmask))                   \
    X(multi_init, void *, (void))                                        \
    X(multi_cleanup, int, (void *multi))                                 \
    X(multi_add_handle, int, (void *multi, void *easy))                  \
    X(multi_remove_handle, int, (void *multi, void *easy))               \
    X(multi_socket_action, int, (void *multi, int socket, int ready, int *running)) \
    X(multi_setopt, int, (void *multi, unsigned option, ...))            \
    X(slist_append, struct curl_slist *, (struct curl_slist *list, const char *line)) \
    X(slist_free_all, void, (struct curl_slist *list))

// What a list of libcurl's is made of, public since 7.1.
struct halyard_line {
    char *text;
    struct halyard_line *next;
};
// What curl_multi_info_read gives.
struct halyard_message {
    unsigned kind;
    void *easy;
    union {
        void *whatever;
        unsigned result;
    } data;
};

// Bytes for an option, to be copied (flags 1).
struct halyard_blob {
    const void *data;
    size_t length;
    unsigned flags;
};

// The start of what curl_version_info gives.
struct halyard_version_info {
    unsigned age;
    const char *version;
    unsigned number;
    const char *host;
    int features;
};

#endif
