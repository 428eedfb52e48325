#define _GNU_SOURCE  // ppoll
#include "epoll.h"

#include "CHalyardCurl.h"

#if defined(__linux__)
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int halyard_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
int halyard_eventfd_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void halyard_epoll_watch(int epoll, int socket, int what, bool is_new) {
    struct epoll_event event = {.data.fd = socket};
    if (what & HALYARD__POLL_IN) event.events |= EPOLLIN;
    if (what & HALYARD__POLL_OUT) event.events |= EPOLLOUT;
    if (epoll_ctl(epoll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) == 0 || errno != ENOENT) return;
    // Another socket with this number was registered and closed without notice. c-ares does this with its sockets.
    epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

void halyard_epoll_remove(int epoll, int socket) { epoll_ctl(epoll, EPOLL_CTL_DEL, socket, NULL); }

int halyard_epoll_wait(int epoll, struct halyard_socket_event *events, int capacity, int milliseconds) {
    struct epoll_event list[128];
    int count = epoll_wait(epoll, list, capacity < 128 ? capacity : 128, milliseconds);
    for (int i = 0; i < count; i++) {
        int ready = 0;
        if (list[i].events & (EPOLLIN | EPOLLHUP)) ready |= HALYARD__CSELECT_IN;
        if (list[i].events & EPOLLOUT) ready |= HALYARD__CSELECT_OUT;
        if (list[i].events & EPOLLERR) ready |= HALYARD__CSELECT_ERR;
        events[i] = (struct halyard_socket_event){list[i].data.fd, ready};
    }
    return count < 0 ? 0 : count;
}

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

struct halyard_endpoints halyard_socket_endpoints(int socket) {
    struct halyard_endpoints endpoints = {0};
    union address local = {0}, remote = {0};
    socklen_t local_length = sizeof local, remote_length = sizeof remote;
    if (getsockname(socket, &local.any, &local_length) != 0) return endpoints;
    if (getpeername(socket, &remote.any, &remote_length) != 0) return endpoints;
    if (local.any.sa_family == AF_INET) {
        endpoints.local_port = ntohs(local.v4.sin_port);
        endpoints.remote_port = ntohs(remote.v4.sin_port);
        inet_ntop(AF_INET, &remote.v4.sin_addr, endpoints.remote_address, sizeof endpoints.remote_address);
    } else if (local.any.sa_family == AF_INET6) {
        endpoints.local_port = ntohs(local.v6.sin6_port);
        endpoints.remote_port = ntohs(remote.v6.sin6_port);
        inet_ntop(AF_INET6, &remote.v6.sin6_addr, endpoints.remote_address, sizeof endpoints.remote_address);
    }
    return endpoints;
}

bool halyard_socket_shutdown_if_readable(int socket) {
    char buffer[1 << 16];
    if (recv(socket, buffer, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    // Shut down first, so that data that arrives later resets the connection. Then drop what has arrived.
    shutdown(socket, SHUT_RDWR);
    for (int count = 0; count < 1024 && recv(socket, buffer, sizeof buffer, MSG_DONTWAIT | MSG_TRUNC) > 0; count++) {
    }
    return true;
}

void halyard_socket_shutdown(int socket, bool both) { shutdown(socket, both ? SHUT_RDWR : SHUT_WR); }

void halyard_socket_hold(int socket, bool is_held) {
    int value = is_held;
    setsockopt(socket, IPPROTO_TCP, TCP_CORK, &value, sizeof value);
}

// Edge-triggered: each signal is reported once, and the counter need not be read. It overflows after some centuries.
void halyard_epoll_add_eventfd(int epoll, int eventfd) {
    struct epoll_event event = {.data.fd = eventfd, .events = EPOLLIN | EPOLLET};
    epoll_ctl(epoll, EPOLL_CTL_ADD, eventfd, &event);
}
void halyard_eventfd_signal(int eventfd) { eventfd_write(eventfd, 1); }

void halyard_eventfd_wait(int eventfd, long nanoseconds) {
    struct pollfd list = {.fd = eventfd, .events = POLLIN};
    struct timespec time = {.tv_nsec = nanoseconds};
    ppoll(&list, 1, nanoseconds < 0 ? NULL : &time, NULL);
    eventfd_t signals;
    eventfd_read(eventfd, &signals);
}

#else
// The engine runs on Linux only. On other systems it compiles, and its first request fails with engineUnavailable.
int halyard_epoll_create(void) { return -1; }
int halyard_eventfd_create(void) { return -1; }
void halyard_epoll_watch(int epoll, int socket, int what, bool is_new) {}
void halyard_epoll_remove(int epoll, int socket) {}
int halyard_epoll_wait(int epoll, struct halyard_socket_event *events, int capacity, int milliseconds) { return 0; }
struct halyard_endpoints halyard_socket_endpoints(int socket) { return (struct halyard_endpoints){0}; }
bool halyard_socket_shutdown_if_readable(int socket) { return false; }
void halyard_socket_shutdown(int socket, bool both) {}
void halyard_socket_hold(int socket, bool is_held) {}
void halyard_epoll_add_eventfd(int epoll, int eventfd) {}
void halyard_eventfd_signal(int eventfd) {}
void halyard_eventfd_wait(int eventfd, long nanoseconds) {}
#endif
