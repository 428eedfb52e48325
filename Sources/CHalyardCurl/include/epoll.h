// epoll and eventfd in plain numbers: the platform modules of Swift's toolchain do not have them.
//
// epoll costs the same however many sockets there are, where curl_multi_poll looks at every one each time.

#ifndef HALYARD_QUEUE_H
#define HALYARD_QUEUE_H

#include <stdbool.h>

// A socket that is ready, and for what: HALYARD__CSELECT_*.
struct halyard_ready {
    int socket;
    int ready;
};

// Each gives a descriptor, to be closed; -1 where the system gives none.
int halyard_queue_make(void);
int halyard_bell_make(void);

// Watches a socket for HALYARD__POLL_*.
void halyard_queue_watch(int queue, int socket, int what, bool is_new);
void halyard_queue_forget(int queue, int socket);
// Waits for a socket, at most so many milliseconds. Gives how many of `list` it filled.
int halyard_queue_wait(int queue, struct halyard_ready *list, int capacity, int milliseconds);

// Both ends of a connection over TCP. All of it is 0 for others.
struct halyard_ends {
    char remote_address[46];
    int remote_port;
    int local_port;
};
struct halyard_ends halyard_socket_ends(int socket);
// Whether something has come on a connection, its end too. If so the connection is shut down both ways, and what has come
// is dropped: nothing more can be read from it.
bool halyard_socket_end_if_ready(int socket);

// Watches the bell, and rings it, from any thread.
void halyard_bell_watch(int queue, int bell);
void halyard_bell_ring(int bell);
// Waits until it is rung, or was since the last time that this was called; less than a second, unless it is negative.
void halyard_bell_wait(int bell, long nanoseconds);

#endif
