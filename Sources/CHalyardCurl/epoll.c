#define _GNU_SOURCE  // ppoll
#include "epoll.h"

#include "CHalyardCurl.h"

#if defined(__linux__)
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int halyard_queue_make(void) { return epoll_create1(EPOLL_CLOEXEC); }
int halyard_bell_make(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void halyard_queue_watch(int queue, int socket, int what, bool is_new) {
    struct epoll_event event = {.data.fd = socket};
    if (what & HALYARD__POLL_IN) event.events |= EPOLLIN;
    if (what & HALYARD__POLL_OUT) event.events |= EPOLLOUT;
    if (epoll_ctl(queue, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) == 0 || errno != ENOENT) return;
    // Another was closed in silence, and this one has its number: c-ares does so with those it asks name servers over.
    epoll_ctl(queue, EPOLL_CTL_ADD, socket, &event);
}

void halyard_queue_forget(int queue, int socket) { epoll_ctl(queue, EPOLL_CTL_DEL, socket, NULL); }

int halyard_queue_wait(int queue, struct halyard_ready *list, int capacity, int milliseconds) {
    struct epoll_event events[128];
    int count = epoll_wait(queue, events, capacity < 128 ? capacity : 128, milliseconds);
    for (int i = 0; i < count; i++) {
        int ready = 0;
        if (events[i].events & (EPOLLIN | EPOLLHUP)) ready |= HALYARD__CSELECT_IN;
        if (events[i].events & EPOLLOUT) ready |= HALYARD__CSELECT_OUT;
        if (events[i].events & EPOLLERR) ready |= HALYARD__CSELECT_ERR;
        list[i] = (struct halyard_ready){events[i].data.fd, ready};
    }
    return count < 0 ? 0 : count;
}

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

struct halyard_ends halyard_socket_ends(int socket) {
    struct halyard_ends ends = {0};
    union address local = {0}, remote = {0};
    socklen_t local_length = sizeof local, remote_length = sizeof remote;
    if (getsockname(socket, &local.any, &local_length) != 0) return ends;
    if (getpeername(socket, &remote.any, &remote_length) != 0) return ends;
    if (local.any.sa_family == AF_INET) {
        ends.local_port = ntohs(local.v4.sin_port);
        ends.remote_port = ntohs(remote.v4.sin_port);
        inet_ntop(AF_INET, &remote.v4.sin_addr, ends.remote_address, sizeof ends.remote_address);
    } else if (local.any.sa_family == AF_INET6) {
        ends.local_port = ntohs(local.v6.sin6_port);
        ends.remote_port = ntohs(remote.v6.sin6_port);
        inet_ntop(AF_INET6, &remote.v6.sin6_addr, ends.remote_address, sizeof ends.remote_address);
    }
    return ends;
}

bool halyard_socket_end_if_ready(int socket) {
    char room[1 << 16];
    if (recv(socket, room, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    // First this: what comes afterwards resets the connection.
    shutdown(socket, SHUT_RDWR);
    for (int count = 0; count < 1024 && recv(socket, room, sizeof room, MSG_DONTWAIT | MSG_TRUNC) > 0; count++) {
    }
    return true;
}

// By its edge: each ring is told once, and nobody need read it. It would overflow after some centuries.
void halyard_bell_watch(int queue, int bell) {
    struct epoll_event event = {.data.fd = bell, .events = EPOLLIN | EPOLLET};
    epoll_ctl(queue, EPOLL_CTL_ADD, bell, &event);
}
void halyard_bell_ring(int bell) { eventfd_write(bell, 1); }

void halyard_bell_wait(int bell, long nanoseconds) {
    struct pollfd list = {.fd = bell, .events = POLLIN};
    struct timespec time = {.tv_nsec = nanoseconds};
    ppoll(&list, 1, nanoseconds < 0 ? NULL : &time, NULL);
    eventfd_t rings;
    eventfd_read(bell, &rings);
}

#else
// The engine is Linux's; elsewhere it compiles, and says at its first request that it is not to be had.
int halyard_queue_make(void) { return -1; }
int halyard_bell_make(void) { return -1; }
void halyard_queue_watch(int queue, int socket, int what, bool is_new) {}
void halyard_queue_forget(int queue, int socket) {}
int halyard_queue_wait(int queue, struct halyard_ready *list, int capacity, int milliseconds) { return 0; }
struct halyard_ends halyard_socket_ends(int socket) { return (struct halyard_ends){0}; }
bool halyard_socket_end_if_ready(int socket) { return false; }
void halyard_bell_watch(int queue, int bell) {}
void halyard_bell_ring(int bell) {}
void halyard_bell_wait(int bell, long nanoseconds) {}
#endif
