// epoll and eventfd, which the platform modules of Swift's toolchain do not have.
//
// The cost of epoll does not depend on the number of sockets. curl_multi_poll inspects every socket in each call.

#ifndef HALYARD_EPOLL_H
#define HALYARD_EPOLL_H

#include <stdbool.h>

// A socket that is ready. `ready` is a set of HALYARD__CSELECT_* flags.
struct halyard_socket_event {
    int socket;
    int ready;
};

// Each returns a new descriptor, or -1 if the process cannot open more.
int halyard_epoll_create(void);
int halyard_eventfd_create(void);

// Watches a socket for HALYARD__POLL_* events.
void halyard_epoll_watch(int epoll, int socket, int what, bool is_new);
void halyard_epoll_remove(int epoll, int socket);
// Waits for events, at most for some milliseconds. Returns the number of events.
int halyard_epoll_wait(int epoll, struct halyard_socket_event *events, int capacity, int milliseconds);

// The remote address and the ports of a TCP connection. All fields are 0 for another kind of socket.
struct halyard_endpoints {
    char remote_address[46];
    int remote_port;
    int local_port;
};
struct halyard_endpoints halyard_socket_endpoints(int socket);
// If data or the end of the stream has arrived on a connection, shuts the connection down in both directions, drops the
// data, and returns true. Nothing can be read from the connection then.
bool halyard_socket_shutdown_if_readable(int socket);
// Ends the writing direction of a connection, or both directions.
void halyard_socket_shutdown(int socket, bool both);

// Makes a TCP connection send full packets only, until it is called with `false`, or for 200 milliseconds.
void halyard_socket_hold(int socket, bool is_held);

// Lets an eventfd end a wait in an epoll instance.
void halyard_epoll_add_eventfd(int epoll, int eventfd);
// Signals an eventfd. Any thread may call it.
void halyard_eventfd_signal(int eventfd);
// Waits for a signal, or returns at once if there was one since the last call. The limit is less than a second; a
// negative number means no limit.
void halyard_eventfd_wait(int eventfd, long nanoseconds);

#endif
