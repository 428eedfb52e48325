#define _GNU_SOURCE  // dl_iterate_phdr
#include "CHalyardCurl.h"
#include "libcurl-declarations.h"
#include "dynamic-loading.h"

#include <fcntl.h>
#ifdef __ELF__
#include <link.h>
#endif
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static struct {
#define FIELD(name, result, parameters) result(*name) parameters;
    HALYARD_FUNCTIONS(FIELD)
#undef FIELD
    struct halyard_message *(*multi_info_read)(void *multi, int *left);
    struct halyard_version_info *(*version_info)(unsigned now);
} curl;

#define DECLARE(name, result, parameters) HALYARD_DECLARE(curl_##name, result, parameters)
HALYARD_FUNCTIONS(DECLARE)
DECLARE(multi_info_read, struct halyard_message *, (void *multi, int *left))
DECLARE(version_info, struct halyard_version_info *, (unsigned now))
#undef DECLARE

// 7.76, the oldest supported release.
static const uint32_t oldest = 0x074C00;

const char *halyard_curl_load(const char *name) {
    HALYARD_OPEN(library, name);
#define FIND(name, result, parameters) HALYARD_FIND(library, curl.name, curl_##name);
    HALYARD_FUNCTIONS(FIND)
    FIND(multi_info_read, , )
    FIND(version_info, , )
#undef FIND

    if (halyard_curl_version() < oldest) return "it is older than 7.76";
    if (curl.global_init(HALYARD__GLOBAL_ALL) != HALYARD_E_OK) return "it cannot be initialised";
    return NULL;
}

// A dynamically linked program names the loader in its program headers. A statically linked one does not.
#if defined(__ELF__) && !defined(HALYARD_LINKED)
static int find_loader(struct dl_phdr_info *program, size_t size, void *found) {
    (void)size;
    for (int index = 0; index < program->dlpi_phnum; index++)
        if (program->dlpi_phdr[index].p_type == PT_INTERP) *(bool *)found = true;
    return 1;  // Stop: the first entry is the program itself.
}
bool halyard_is_statically_linked(void) {
    bool found = false;
    dl_iterate_phdr(find_loader, &found);
    return !found;
}
#else
bool halyard_is_statically_linked(void) { return false; }
#endif

uint32_t halyard_curl_version(void) { return curl.version_info(0)->number; }
int halyard_curl_features(void) { return curl.version_info(0)->features; }
const char *halyard_curl_version_text(void) { return curl.version_info(0)->version; }
const char *halyard_curl_tls_library(void) { return curl.version_info(0)->tls_library; }

static atomic_long handles_created;
void *halyard_easy_init(void) {
    atomic_fetch_add_explicit(&handles_created, 1, memory_order_relaxed);
    return curl.easy_init();
}
long halyard_easy_created_count(void) { return atomic_load_explicit(&handles_created, memory_order_relaxed); }
void halyard_easy_reset(void *easy) { curl.easy_reset(easy); }
void halyard_easy_cleanup(void *easy) { curl.easy_cleanup(easy); }
const char *halyard_easy_strerror(halyard_result result) { return curl.easy_strerror((unsigned)result); }

halyard_result halyard_easy_set_long(void *easy, halyard_option option, long value) {
    return curl.easy_setopt(easy, (unsigned)option, value);
}
halyard_result halyard_easy_set_offset(void *easy, halyard_option option, int64_t value) {
    return curl.easy_setopt(easy, (unsigned)option, value);
}
halyard_result halyard_easy_set_string(void *easy, halyard_option option, const char *value) {
    return curl.easy_setopt(easy, (unsigned)option, value);
}
halyard_result halyard_easy_set_pointer(void *easy, halyard_option option, void *value) {
    return curl.easy_setopt(easy, (unsigned)option, value);
}
halyard_result halyard_easy_set_data_callback(void *easy, halyard_option option, halyard_data_callback value) {
    return curl.easy_setopt(easy, (unsigned)option, value);
}
halyard_result halyard_easy_set_seek_callback(void *easy, halyard_option option, halyard_seek_callback value) {
    return curl.easy_setopt(easy, (unsigned)option, value);
}

halyard_result halyard_easy_set_prereq_callback(void *easy, halyard_option option, halyard_prereq_callback value) {
    return curl.easy_setopt(easy, (unsigned)option, value);
}
halyard_result halyard_easy_set_debug_callback(void *easy, halyard_option option, halyard_debug_callback value) {
    return curl.easy_setopt(easy, (unsigned)option, value);
}
halyard_result halyard_easy_set_close_callback(void *easy, halyard_option option, halyard_close_callback value) {
    return curl.easy_setopt(easy, (unsigned)option, value);
}

halyard_result halyard_easy_set_open_callback(void *easy, halyard_option option, halyard_open_callback value) {
    return curl.easy_setopt(easy, (unsigned)option, value);
}

int halyard_open_socket(const struct halyard_socket_address *address) {
#ifdef SOCK_CLOEXEC
    return socket(address->family, address->kind | SOCK_CLOEXEC, address->protocol);
#else
    int descriptor = socket(address->family, address->kind, address->protocol);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}
bool halyard_is_datagram(const struct halyard_socket_address *address) { return (address->kind & 15) == SOCK_DGRAM; }
halyard_result halyard_easy_set_blob(void *easy, halyard_option option, const void *bytes, size_t count) {
    struct halyard_blob blob = {bytes, count, 1};
    return curl.easy_setopt(easy, (unsigned)option, &blob);
}

long halyard_easy_get_long(void *easy, halyard_info info) {
    long value = 0;
    curl.easy_getinfo(easy, (unsigned)info, &value);
    return value;
}
int64_t halyard_easy_get_offset(void *easy, halyard_info info) {
    int64_t value = 0;
    curl.easy_getinfo(easy, (unsigned)info, &value);
    return value;
}
const char *halyard_easy_get_string(void *easy, halyard_info info) {
    const char *value = NULL;
    curl.easy_getinfo(easy, (unsigned)info, &value);
    return value;
}
void *halyard_easy_get_pointer(void *easy, halyard_info info) {
    void *value = NULL;
    curl.easy_getinfo(easy, (unsigned)info, &value);
    return value;
}

halyard_result halyard_easy_pause(void *easy) { return curl.easy_pause(easy, HALYARD_PAUSE_RECV); }
halyard_result halyard_easy_resume(void *easy) { return curl.easy_pause(easy, HALYARD_PAUSE_CONT); }

halyard_result halyard_easy_send(void *easy, const void *bytes, size_t count, size_t *sent) {
    return curl.easy_send(easy, bytes, count, sent);
}
halyard_result halyard_easy_receive(void *easy, void *buffer, size_t capacity, size_t *received) {
    return curl.easy_recv(easy, buffer, capacity, received);
}
int halyard_easy_active_socket(void *easy) {
    int socket = -1;
    return curl.easy_getinfo(easy, HALYARD_INFO_ACTIVESOCKET, &socket) == HALYARD_E_OK ? socket : -1;
}

void *halyard_multi_init(void) { return curl.multi_init(); }
void halyard_multi_cleanup(void *multi) { curl.multi_cleanup(multi); }
int halyard_multi_add_handle(void *multi, void *easy) { return curl.multi_add_handle(multi, easy); }
int halyard_multi_remove_handle(void *multi, void *easy) { return curl.multi_remove_handle(multi, easy); }
int halyard_multi_socket_action(void *multi, int socket, int ready) {
    int running = 0;
    return curl.multi_socket_action(multi, socket, ready, &running);
}
int halyard_multi_set_pointer(void *multi, halyard_multi_option option, void *value) {
    return curl.multi_setopt(multi, (unsigned)option, value);
}
int halyard_multi_set_socket_callback(void *multi, halyard_socket_callback value) {
    return curl.multi_setopt(multi, HALYARD_MOPT_SOCKETFUNCTION, value);
}
int halyard_multi_set_timer_callback(void *multi, halyard_timer_callback value) {
    return curl.multi_setopt(multi, HALYARD_MOPT_TIMERFUNCTION, value);
}
int halyard_multi_set_long(void *multi, halyard_multi_option option, long value) {
    return curl.multi_setopt(multi, (unsigned)option, value);
}
void *halyard_multi_next_completed(void *multi, halyard_result *result) {
    int left = 0;
    struct halyard_message *message;
    while ((message = curl.multi_info_read(multi, &left))) {
        if (message->kind == HALYARD_MSG_DONE) {
            *result = message->data.result;
            return message->easy;
        }
    }
    return NULL;
}

struct halyard_line *halyard_line_append(struct halyard_line **first, struct halyard_line *last, const uint8_t *name,
                                         size_t name_length, const uint8_t *value, size_t value_length) {
    struct halyard_line **place = last ? &last->after : first, *line = *place;
    size_t length = name_length + value_length + sizeof ": ";
    if (!line || line->capacity < length) {
        struct halyard_line *larger = realloc(line, sizeof *line + length);
        if (!larger) return last;
        if (!line) larger->after = NULL;
        *place = line = larger;
        line->text = (char *)(line + 1);
        line->capacity = length;
    }
    memcpy(line->text, name, name_length);
    char *end = line->text + name_length;
    if (value && value_length > 0) {
        memcpy(end, ": ", 2);
        memcpy(end + 2, value, value_length);
        end += 2 + value_length;
    } else if (value) {
        *end++ = ';';
    }
    *end = 0;
    line->next = NULL;
    if (last) last->next = line;
    return line;
}
void halyard_lines_free(struct halyard_line *first) {
    while (first) {
        struct halyard_line *after = first->after;
        free(first);
        first = after;
    }
}
