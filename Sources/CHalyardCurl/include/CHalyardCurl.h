// libcurl without its headers: the part of its stable ABI (soname 4) that the engine uses. libcurl is loaded at run
// time, or linked with the package trait LinkedCurl.
//
// libcurl's setters are variadic, and Swift cannot call variadic C functions. This header declares a typed function for
// each type of value. The constants are in lists, so that CI can compare each with libcurl's header: the entry
// X(OPT_URL, 10002) says that the constant CURLOPT_URL has the value 10002.

#ifndef HALYARD_CURL_H
#define HALYARD_CURL_H

#include "decoders.h"
#include "epoll.h"
#include "file.h"
#include "inflate.h"
#include "psl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HALYARD_OPTIONS(X)               \
    X(OPT_BUFFERSIZE, 98)                \
    X(OPT_CAINFO, 10065)                 \
    X(OPT_CAINFO_BLOB, 40309)            \
    X(OPT_CAPATH, 10097)                 \
    X(OPT_CLOSESOCKETDATA, 10209)       \
    X(OPT_CLOSESOCKETFUNCTION, 20208)   \
    X(OPT_CONNECTTIMEOUT_MS, 156)        \
    X(OPT_CONNECT_ONLY, 141)             \
    X(OPT_CUSTOMREQUEST, 10036)          \
    X(OPT_DEBUGDATA, 10095)              \
    X(OPT_DEBUGFUNCTION, 20094)          \
    X(OPT_ERRORBUFFER, 10010)            \
    X(OPT_FORBID_REUSE, 75)              \
    X(OPT_FRESH_CONNECT, 74)             \
    X(OPT_HEADERDATA, 10029)             \
    X(OPT_HEADERFUNCTION, 20079)         \
    X(OPT_HTTPGET, 80)                   \
    X(OPT_HTTPHEADER, 10023)             \
    X(OPT_HTTPPROXYTUNNEL, 61)           \
    X(OPT_HTTP_VERSION, 84)              \
    X(OPT_INFILESIZE_LARGE, 30115)       \
    X(OPT_INTERFACE, 10062)              \
    X(OPT_KEYPASSWD, 10026)              \
    X(OPT_MAXAGE_CONN, 288)              \
    X(OPT_NOBODY, 44)                    \
    X(OPT_NOPROXY, 10177)                \
    X(OPT_NOSIGNAL, 99)                  \
    X(OPT_OPENSOCKETDATA, 10164)         \
    X(OPT_OPENSOCKETFUNCTION, 20163)     \
    X(OPT_PATH_AS_IS, 234)               \
    X(OPT_PINNEDPUBLICKEY, 10230)        \
    X(OPT_PIPEWAIT, 237)                 \
    X(OPT_PREREQDATA, 10313)             \
    X(OPT_PREREQFUNCTION, 20312)         \
    X(OPT_PRIVATE, 10103)                \
    X(OPT_PROTOCOLS, 181)                \
    X(OPT_PROXY, 10004)                  \
    X(OPT_PROXY_CAINFO, 10246)          \
    X(OPT_PROXY_CAINFO_BLOB, 40310)     \
    X(OPT_PROXY_CAPATH, 10247)          \
    X(OPT_PROXYTYPE, 101)                \
    X(OPT_QUICK_EXIT, 322)               \
    X(OPT_READDATA, 10009)               \
    X(OPT_READFUNCTION, 20012)           \
    X(OPT_RESOLVE, 10203)                \
    X(OPT_RTSP_REQUEST, 189)             \
    X(OPT_SEEKDATA, 10168)               \
    X(OPT_SEEKFUNCTION, 20167)           \
    X(OPT_SSLCERT, 10025)                \
    X(OPT_SSLKEY, 10087)                 \
    X(OPT_SSLVERSION, 32)                \
    X(OPT_SUPPRESS_CONNECT_HEADERS, 265) \
    X(OPT_UNIX_SOCKET_PATH, 10231)       \
    X(OPT_UPLOAD, 46)                    \
    X(OPT_UPLOAD_BUFFERSIZE, 280)        \
    X(OPT_URL, 10002)                    \
    X(OPT_VERBOSE, 41)                   \
    X(OPT_WRITEDATA, 10001)              \
    X(OPT_WRITEFUNCTION, 20011)

#define HALYARD_MULTI_OPTIONS(X)      \
    X(MOPT_MAXCONNECTS, 6)            \
    X(MOPT_MAX_HOST_CONNECTIONS, 7)   \
    X(MOPT_MAX_TOTAL_CONNECTIONS, 13) \
    X(MOPT_SOCKETDATA, 10002)         \
    X(MOPT_SOCKETFUNCTION, 20001)     \
    X(MOPT_TIMERDATA, 10005)          \
    X(MOPT_TIMERFUNCTION, 20004)

#define HALYARD_INFOS(X)                        \
    X(INFO_ACTIVESOCKET, 0x500000 + 44)         \
    X(INFO_APPCONNECT_TIME_T, 0x600000 + 56)    \
    X(INFO_CONNECT_TIME_T, 0x600000 + 52)       \
    X(INFO_HTTP_CONNECTCODE, 0x200000 + 22)     \
    X(INFO_HTTP_VERSION, 0x200000 + 46)         \
    X(INFO_LOCAL_PORT, 0x200000 + 42)           \
    X(INFO_NAMELOOKUP_TIME_T, 0x600000 + 51)    \
    X(INFO_NUM_CONNECTS, 0x200000 + 26)         \
    X(INFO_OS_ERRNO, 0x200000 + 25)             \
    X(INFO_PRIMARY_IP, 0x100000 + 32)           \
    X(INFO_PRIMARY_PORT, 0x200000 + 40)         \
    X(INFO_PRIVATE, 0x100000 + 21)              \
    X(INFO_REQUEST_SIZE, 0x200000 + 12)         \
    X(INFO_SSL_VERIFYRESULT, 0x200000 + 13)     \
    X(INFO_STARTTRANSFER_TIME_T, 0x600000 + 54) \
    X(INFO_TOTAL_TIME_T, 0x600000 + 50)

#define HALYARD_RESULTS(X)            \
    X(E_ABORTED_BY_CALLBACK, 42)      \
    X(E_AGAIN, 81)                    \
    X(E_BAD_CONTENT_ENCODING, 61)     \
    X(E_BAD_FUNCTION_ARGUMENT, 43)    \
    X(E_COULDNT_CONNECT, 7)           \
    X(E_COULDNT_RESOLVE_HOST, 6)      \
    X(E_COULDNT_RESOLVE_PROXY, 5)     \
    X(E_GOT_NOTHING, 52)              \
    X(E_HTTP2, 16)                    \
    X(E_HTTP2_STREAM, 92)             \
    X(E_HTTP3, 95)                    \
    X(E_INTERFACE_FAILED, 45)         \
    X(E_NOT_BUILT_IN, 4)              \
    X(E_OK, 0)                        \
    X(E_OPERATION_TIMEDOUT, 28)       \
    X(E_OUT_OF_MEMORY, 27)            \
    X(E_PARTIAL_FILE, 18)             \
    X(E_PEER_FAILED_VERIFICATION, 60) \
    X(E_PROXY, 97)                    \
    X(E_QUIC_CONNECT_ERROR, 96)       \
    X(E_RECV_ERROR, 56)               \
    X(E_SEND_ERROR, 55)               \
    X(E_SEND_FAIL_REWIND, 65)         \
    X(E_SSL_CACERT_BADFILE, 77)       \
    X(E_SSL_CERTPROBLEM, 58)          \
    X(E_SSL_CIPHER, 59)               \
    X(E_SSL_CONNECT_ERROR, 35)        \
    X(E_SSL_PINNEDPUBKEYNOTMATCH, 90) \
    X(E_UNKNOWN_OPTION, 48)           \
    X(E_UNSUPPORTED_PROTOCOL, 1)      \
    X(E_URL_MALFORMAT, 3)             \
    X(E_WEIRD_SERVER_REPLY, 8)        \
    X(E_WRITE_ERROR, 23)

// All other named constants of libcurl that the engine uses.
#define HALYARD_NUMBERS(X)                \
    X(INFO_HEADER_IN, 1)                  \
    X(INFO_TEXT, 0)                       \
    X(MSG_DONE, 1)                        \
    X(PAUSE_CONT, 0)                      \
    X(PAUSE_RECV, 1)                      \
    X(PROTO_HTTP, 1)                      \
    X(PROTO_HTTPS, 2)                     \
    X(PROXY_HTTP, 0)                      \
    X(PROXY_HTTPS, 2)                     \
    X(PROXY_SOCKS5_HOSTNAME, 7)           \
    X(_CSELECT_ERR, 4)                    \
    X(_CSELECT_IN, 1)                     \
    X(_CSELECT_OUT, 2)                    \
    X(_ERROR_SIZE, 256)                   \
    X(_GLOBAL_ALL, 3)                     \
    X(_HTTP_VERSION_1_1, 2)               \
    X(_HTTP_VERSION_2TLS, 4)              \
    X(_HTTP_VERSION_2_0, 3)               \
    X(_HTTP_VERSION_2_PRIOR_KNOWLEDGE, 5) \
    X(_HTTP_VERSION_3, 30)                \
    X(_POLL_IN, 1)                        \
    X(_POLL_OUT, 2)                       \
    X(_POLL_REMOVE, 4)                    \
    X(_PREREQFUNC_ABORT, 1)               \
    X(_PREREQFUNC_OK, 0)                  \
    X(_READFUNC_ABORT, 0x10000000)        \
    X(_READFUNC_PAUSE, 0x10000001)        \
    X(_RTSPREQ_OPTIONS, 1)                \
    X(_RTSPREQ_RECEIVE, 11)               \
    X(_SEEKFUNC_FAIL, 1)                  \
    X(_SEEKFUNC_OK, 0)                    \
    X(_SOCKET_TIMEOUT, -1)                \
    X(_SSLVERSION_TLSv1_2, 6)             \
    X(_SSLVERSION_TLSv1_3, 7)             \
    X(_VERSION_ASYNCHDNS, 128)            \
    X(_VERSION_HTTP2, 65536)              \
    X(_VERSION_HTTP3, 1 << 25)            \
    X(_WRITEFUNC_PAUSE, 0x10000001)

#define HALYARD_DECLARE(name, value) HALYARD_##name = value,
typedef enum : int32_t { HALYARD_OPTIONS(HALYARD_DECLARE) } halyard_option;
typedef enum : int32_t { HALYARD_MULTI_OPTIONS(HALYARD_DECLARE) } halyard_multi_option;
typedef enum : int32_t { HALYARD_INFOS(HALYARD_DECLARE) } halyard_info;
typedef enum : int32_t { HALYARD_RESULTS(HALYARD_DECLARE) } halyard_result;
enum : int32_t { HALYARD_NUMBERS(HALYARD_DECLARE) };
#undef HALYARD_DECLARE
// Since 8.6. Older headers do not have it.
static const halyard_result HALYARD_E_TOO_LARGE = (halyard_result)100;

// Receives bytes (body, header line) or provides them (upload). The signature is libcurl's.
typedef size_t (*halyard_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*halyard_seek_callback)(void *context, int64_t offset, int origin);
// A connection is ready, and the request is about to be sent.
typedef int (*halyard_prereq_callback)(void *context, char *remote, char *local, int remote_port, int local_port);
// Shows data while OPT_VERBOSE is set: a header line before libcurl parses it (INFO_HEADER_IN), or a remark of libcurl's
// (INFO_TEXT).
typedef int (*halyard_debug_callback)(void *easy, unsigned kind, char *bytes, size_t count, void *context);
// The first fields of curl_sockaddr. The address follows.
struct halyard_socket_address {
    int family;
    int kind;
    int protocol;
};
// Opens a socket for a connection. Returns it, or -1.
typedef int (*halyard_open_callback)(void *context, int purpose, struct halyard_socket_address *address);
// Closes the socket of a connection.
typedef int (*halyard_close_callback)(void *context, int socket);
// Sets the events to watch a socket for; sets the time of the next call of halyard_multi_socket_action.
typedef int (*halyard_socket_callback)(void *easy, int socket, int what, void *context, void *socket_context);
typedef int (*halyard_timer_callback)(void *multi, long timeout_ms, void *context);

// Loads libcurl. Returns NULL, or a description of the failure. Call it once, before any other function.
const char *halyard_curl_load(const char *name);
// Whether the program is linked statically, and so cannot load libraries. False if libcurl is linked.
bool halyard_is_statically_linked(void);
// The version as 0xMMmmpp.
uint32_t halyard_curl_version(void);
// A set of HALYARD__VERSION_* flags.
int halyard_curl_features(void);
// The version in words, and the TLS library with its version, or NULL.
const char *halyard_curl_version_text(void);
const char *halyard_curl_tls_library(void);

void *halyard_easy_init(void);
void halyard_easy_reset(void *easy);
void halyard_easy_cleanup(void *easy);
// The number of easy handles that this process has created. For tests.
long halyard_easy_created_count(void);
const char *halyard_easy_strerror(halyard_result result);

halyard_result halyard_easy_set_long(void *easy, halyard_option option, long value);
halyard_result halyard_easy_set_offset(void *easy, halyard_option option, int64_t value);
halyard_result halyard_easy_set_string(void *easy, halyard_option option, const char *value);
halyard_result halyard_easy_set_pointer(void *easy, halyard_option option, void *value);
halyard_result halyard_easy_set_data_callback(void *easy, halyard_option option, halyard_data_callback value);
halyard_result halyard_easy_set_seek_callback(void *easy, halyard_option option, halyard_seek_callback value);
halyard_result halyard_easy_set_prereq_callback(void *easy, halyard_option option, halyard_prereq_callback value);
halyard_result halyard_easy_set_debug_callback(void *easy, halyard_option option, halyard_debug_callback value);
halyard_result halyard_easy_set_close_callback(void *easy, halyard_option option, halyard_close_callback value);
halyard_result halyard_easy_set_open_callback(void *easy, halyard_option option, halyard_open_callback value);
// Opens a socket with the close-on-exec flag, so that child programs do not inherit it. Older releases of libcurl do
// not set the flag. Returns -1 if the process cannot open more descriptors.
int halyard_open_socket(const struct halyard_socket_address *address);
// Whether the socket is for datagrams, as QUIC's is. The kind may have flags.
bool halyard_is_datagram(const struct halyard_socket_address *address);
// libcurl copies the bytes.
halyard_result halyard_easy_set_blob(void *easy, halyard_option option, const void *bytes, size_t count);
long halyard_easy_get_long(void *easy, halyard_info info);
int64_t halyard_easy_get_offset(void *easy, halyard_info info);
void *halyard_easy_get_pointer(void *easy, halyard_info info);
const char *halyard_easy_get_string(void *easy, halyard_info info);

// Pauses receiving.
halyard_result halyard_easy_pause(void *easy);
// Continues both directions. libcurl may call back during the call.
halyard_result halyard_easy_resume(void *easy);

// Sends or receives bytes over the connection of a handle with OPT_CONNECT_ONLY, without waiting. E_AGAIN means that the
// socket is not ready. No bytes received and E_OK mean the end of the connection.
halyard_result halyard_easy_send(void *easy, const void *bytes, size_t count, size_t *sent);
halyard_result halyard_easy_receive(void *easy, void *buffer, size_t capacity, size_t *received);
// The socket of the last connection, or -1.
int halyard_easy_active_socket(void *easy);

void *halyard_multi_init(void);
void halyard_multi_cleanup(void *multi);
int halyard_multi_add_handle(void *multi, void *easy);
int halyard_multi_remove_handle(void *multi, void *easy);
// Lets libcurl handle a socket that is ready (HALYARD__CSELECT_*), or its timer (HALYARD__SOCKET_TIMEOUT).
int halyard_multi_socket_action(void *multi, int socket, int ready);
int halyard_multi_set_long(void *multi, halyard_multi_option option, long value);
int halyard_multi_set_pointer(void *multi, halyard_multi_option option, void *value);
int halyard_multi_set_socket_callback(void *multi, halyard_socket_callback value);
int halyard_multi_set_timer_callback(void *multi, halyard_timer_callback value);
// Returns the next completed transfer with its result, or NULL.
void *halyard_multi_next_completed(void *multi, halyard_result *result);

// A line of a curl_slist, which libcurl only reads. It knows the first two fields. The list's memory is used again:
// libcurl's own functions allocate twice for each line.
struct halyard_line {
    char *text;
    struct halyard_line *next;
    // The line whose memory comes after this one, whether it is a part of the list or not.
    struct halyard_line *after;
    size_t capacity;
};
// Appends a header field in libcurl's form: "name: value", or "name;" for an empty value. If the value is NULL, the line
// is the name. `first` is the first line that has memory, and `last` the last of the list. Returns the new last line, or
// the old one if there is not enough memory.
struct halyard_line *halyard_line_append(struct halyard_line **first, struct halyard_line *last, const uint8_t *name,
                                         size_t name_length, const uint8_t *value, size_t value_length);
void halyard_lines_free(struct halyard_line *first);

#endif
