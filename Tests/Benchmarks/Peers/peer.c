// Does the same work with libcurl alone. The benchmarks compare Halyard with it.
//
//   peer get URL COUNT IN-FLIGHT        small GETs; HTTP/2 where the URL is https, over one connection
//   peer up URL FILE                    a PUT of a file
//   peer down URL [FILE]                a GET of a large body, dropped or written to a file
//   peer collect URL                    a GET of a large body, collected in memory of the announced length
//
// It uses one thread and one multi handle. Several requests in flight use libcurl's socket interface and epoll, which
// is faster than curl_multi_poll; a single large body uses curl_multi_poll. Prints one line of JSON.
#include <curl/curl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static CURLM *multi;
static int queue;
static long due = -1;
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
static void fail(const char *why) {
    fprintf(stderr, "peer: %s\n", why);
    exit(1);
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    struct epoll_event event = {.data.fd = socket};
    if (what != CURL_POLL_OUT) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(queue, EPOLL_CTL_DEL, socket, NULL);
        curl_multi_assign(multi, socket, NULL);
    } else {
        epoll_ctl(queue, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
        if (!known) curl_multi_assign(multi, socket, multi);
    }
    return 0;
}
static int set_timer(CURLM *handle, long milliseconds, void *context) {
    due = milliseconds;
    return 0;
}

struct body {
    size_t length;
    char bytes[65536];
};
static size_t keep(char *bytes, size_t size, size_t count, void *context) {
    struct body *body = context;
    size_t length = size * count;
    if (body->length + length <= sizeof body->bytes) memcpy(body->bytes + body->length, bytes, length);
    body->length += length;
    return length;
}
struct collection {
    CURL *easy;
    size_t length, capacity;
    char *bytes;
};
static size_t collect(char *bytes, size_t size, size_t count, void *context) {
    struct collection *all = context;
    size_t length = size * count;
    if (!all->bytes) {
        curl_off_t announced = 0;
        curl_easy_getinfo(all->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
        all->capacity = announced > 0 ? (size_t)announced : 0;
        all->bytes = malloc(all->capacity);
    }
    if (!all->bytes || all->length + length > all->capacity) return 0;
    memcpy(all->bytes + all->length, bytes, length);
    all->length += length;
    return length;
}
static size_t drop(char *bytes, size_t size, size_t count, void *context) { return size * count; }

static double cpu_at_start;
static double cpu(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static void report(int count, double seconds, const double *times) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("{\"count\": %d, \"seconds\": %f, \"cpu\": %f, \"peak\": %ld, \"p50\": %f}\n", count, seconds, cpu() - cpu_at_start,
           use.ru_maxrss, times ? times[count / 2] : seconds);
}
static int compare(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void get(const char *url, int count, int in_flight) {
    CURL *easies[in_flight];
    struct body *bodies = calloc(in_flight, sizeof *bodies);
    double *started = calloc(in_flight, sizeof *started), *times = calloc(count, sizeof *times);
    queue = epoll_create1(EPOLL_CLOEXEC);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)in_flight + 1);
    if (!strncmp(url, "https", 5)) curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    double begin = now();
    for (int i = 0; i < in_flight; i++) {
        easies[i] = curl_easy_init();
        curl_easy_setopt(easies[i], CURLOPT_URL, url);
        curl_easy_setopt(easies[i], CURLOPT_WRITEFUNCTION, keep);
        curl_easy_setopt(easies[i], CURLOPT_WRITEDATA, &bodies[i]);
        curl_easy_setopt(easies[i], CURLOPT_PRIVATE, (char *)(intptr_t)i);
        curl_easy_setopt(easies[i], CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easies[i], CURLOPT_PIPEWAIT, 1L);
        curl_easy_setopt(easies[i], CURLOPT_SSL_VERIFYPEER, 0L);
        started[i] = now();
        curl_multi_add_handle(multi, easies[i]);
    }
    int begun = in_flight, done = 0, running = 0, left = 0;
    while (done < count) {
        struct epoll_event events[64];
        int ready = epoll_wait(queue, events, 64, due < 0 ? 1000 : (int)due);
        if (ready == 0 || due == 0) {
            due = -1;
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        }
        for (int i = 0; i < ready; i++) {
            int flags = (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR) ? CURL_CSELECT_IN : 0) |
                        (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0);
            curl_multi_socket_action(multi, events[i].data.fd, flags, &running);
        }
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
            CURL *easy = message->easy_handle;
            char *index = 0;
            long status = 0;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &index);
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            int i = (int)(intptr_t)index;
            if (message->data.result != CURLE_OK || status != 200) fail(curl_easy_strerror(message->data.result));
            times[done++] = now() - started[i];
            curl_multi_remove_handle(multi, easy);
            bodies[i].length = 0;
            if (begun < count) {
                begun++;
                started[i] = now();
                curl_multi_add_handle(multi, easy);
            }
        }
    }
    double seconds = now() - begin;
    qsort(times, count, sizeof *times, compare);
    report(count, seconds, times);
}

static void one(const char *url, const char *up, const char *down, int collects) {
    CURL *easy = curl_easy_init();
    struct collection all = {.easy = easy};
    FILE *source = NULL, *target = NULL;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    if (up) {
        struct stat file;
        if (!(source = fopen(up, "r")) || fstat(fileno(source), &file)) fail("no such file");
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, curl_slist_append(NULL, "Expect:"));
        curl_easy_setopt(easy, CURLOPT_READDATA, source);
        curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 262144L);
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)file.st_size);
    }
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 524288L);
    if (down && !(target = fopen(down, "w"))) fail("cannot write");
    if (target) curl_easy_setopt(easy, CURLOPT_WRITEDATA, target);
    else curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, collects ? collect : drop);
    if (collects) curl_easy_setopt(easy, CURLOPT_WRITEDATA, &all);
    double begin = now();
    curl_multi_add_handle(multi, easy);
    int running = 1, left = 0;
    while (running) {
        curl_multi_perform(multi, &running);
        if (running) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    CURLMsg *message = curl_multi_info_read(multi, &left);
    if (!message || message->data.result != CURLE_OK) fail("the transfer failed");
    report(1, now() - begin, NULL);
}

int main(int argc, char **argv) {
    cpu_at_start = cpu();  // the time to load the program is not measured
    curl_global_init(CURL_GLOBAL_ALL);
    multi = curl_multi_init();
    if (argc == 5 && !strcmp(argv[1], "get")) get(argv[2], atoi(argv[3]), atoi(argv[4]));
    else if (argc == 4 && !strcmp(argv[1], "up")) one(argv[2], argv[3], NULL, 0);
    else if (argc >= 3 && !strcmp(argv[1], "down")) one(argv[2], NULL, argc > 3 ? argv[3] : NULL, 0);
    else if (argc == 3 && !strcmp(argv[1], "collect")) one(argv[2], NULL, NULL, 1);
    else fail("get URL COUNT IN-FLIGHT | up URL FILE | down URL [FILE] | collect URL");
    return 0;
}
