// Compiles only if each of our declarations agrees with libcurl's header.
#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

#include "CHalyardCurl.h"
#include "libcurl-declarations.h"

#define SAME_NUMBER(name, value) _Static_assert((long)CURL##name == (long)(value), "CURL" #name);
HALYARD_OPTIONS(SAME_NUMBER)
HALYARD_MULTI_OPTIONS(SAME_NUMBER)
HALYARD_INFOS(SAME_NUMBER)
HALYARD_RESULTS(SAME_NUMBER)
HALYARD_NUMBERS(SAME_NUMBER)
#if LIBCURL_VERSION_NUM >= 0x080600
_Static_assert(CURLE_TOO_LARGE == 100, "CURLE_TOO_LARGE");
#endif

#define SAME_FUNCTION(name, result, parameters)                                              \
    typedef result(*ours_##name) parameters;                                                 \
    _Static_assert(__builtin_types_compatible_p(ours_##name, __typeof__(&curl_##name)), #name);
HALYARD_FUNCTIONS(SAME_FUNCTION)

// These two return structures, of which we declare what we read.
#define SAME_FIELD(ours, field, theirs, name)                                                \
    _Static_assert(offsetof(ours, field) == offsetof(theirs, name), #name);                  \
    _Static_assert(sizeof(((ours *)0)->field) == sizeof(((theirs *)0)->name), #name);
SAME_FIELD(struct halyard_message, kind, CURLMsg, msg)
SAME_FIELD(struct halyard_message, easy, CURLMsg, easy_handle)
SAME_FIELD(struct halyard_message, data, CURLMsg, data)
SAME_FIELD(struct halyard_message, data.result, CURLMsg, data.result)
SAME_FIELD(struct halyard_version_info, age, curl_version_info_data, age)
SAME_FIELD(struct halyard_version_info, number, curl_version_info_data, version_num)
SAME_FIELD(struct halyard_version_info, features, curl_version_info_data, features)
SAME_FIELD(struct halyard_version_info, version, curl_version_info_data, version)
SAME_FIELD(struct halyard_version_info, tls_library, curl_version_info_data, ssl_version)
SAME_FIELD(struct halyard_line, text, struct curl_slist, data)
SAME_FIELD(struct halyard_line, next, struct curl_slist, next)
SAME_FIELD(struct halyard_blob, data, struct curl_blob, data)
SAME_FIELD(struct halyard_blob, length, struct curl_blob, len)
SAME_FIELD(struct halyard_blob, flags, struct curl_blob, flags)
SAME_FIELD(struct halyard_socket_address, family, struct curl_sockaddr, family)
SAME_FIELD(struct halyard_socket_address, kind, struct curl_sockaddr, socktype)
SAME_FIELD(struct halyard_socket_address, protocol, struct curl_sockaddr, protocol)
typedef curl_socket_t (*open_socket)(void *, curlsocktype, struct curl_sockaddr *);
_Static_assert(__builtin_types_compatible_p(curl_opensocket_callback, open_socket), "open");
_Static_assert(sizeof(curlsocktype) == sizeof(int) && sizeof(curl_socket_t) == sizeof(int), "open");
_Static_assert(CURL_BLOB_COPY == 1, "CURL_BLOB_COPY");
_Static_assert(__builtin_types_compatible_p(CURLMsg *(*)(CURLM *, int *), __typeof__(&curl_multi_info_read)), "");
_Static_assert(sizeof(curl_off_t) == sizeof(int64_t), "curl_off_t");
_Static_assert(__builtin_types_compatible_p(curl_seek_callback, int (*)(void *, curl_off_t, int)), "seek");
_Static_assert(__builtin_types_compatible_p(curl_write_callback, halyard_data_callback), "write");
_Static_assert(__builtin_types_compatible_p(curl_read_callback, halyard_data_callback), "read");
_Static_assert(__builtin_types_compatible_p(curl_prereq_callback, halyard_prereq_callback), "prereq");
typedef int (*debug)(void *, curl_infotype, char *, size_t, void *), (*ours)(void *, unsigned, char *, size_t, void *);
_Static_assert(__builtin_types_compatible_p(halyard_debug_callback, ours), "debug");
_Static_assert(__builtin_types_compatible_p(curl_debug_callback, debug), "debug");
_Static_assert(sizeof(curl_infotype) == sizeof(unsigned), "debug");
_Static_assert(__builtin_types_compatible_p(curl_socket_callback, halyard_socket_callback), "socket");
_Static_assert(__builtin_types_compatible_p(curl_multi_timer_callback, halyard_timer_callback), "timer");
_Static_assert(__builtin_types_compatible_p(curl_closesocket_callback, halyard_close_callback), "close");
