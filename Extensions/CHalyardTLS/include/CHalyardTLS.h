// TLS for a server of tests, with OpenSSL 1.1.1 or 3, which is loaded at run time and without its headers.

#ifndef HALYARD_TLS_H
#define HALYARD_TLS_H

#include <stddef.h>

// The longest certificate in PEM, with its final zero.
#define HALYARD_TLS_PEM_LIMIT 8192

typedef struct halyard_tls_server halyard_tls_server;
typedef struct halyard_tls_session halyard_tls_session;

// Loads the two libraries of OpenSSL. Returns NULL, or a description of the failure, which is valid until the thread's
// next call.
const char *halyard_tls_load(const char *crypto, const char *ssl);

// Makes a key and a certificate, and an issuer for it. `names` is a list such as "DNS:localhost,IP:127.0.0.1". The times
// are in seconds from now. Writes the issuer's certificate to `root`, in PEM. Returns NULL if OpenSSL refuses the names or
// has no memory left. Call it after halyard_tls_load.
halyard_tls_server *halyard_tls_server_create(const char *names, long not_before, long not_after,
                                              char root[HALYARD_TLS_PEM_LIMIT]);
void halyard_tls_server_destroy(halyard_tls_server *server);
// Selects a protocol for each client that offers it (ALPN, RFC 7301): "h2". The name must live as long as the server.
void halyard_tls_server_select(halyard_tls_server *server, const char *protocol);

// Makes the handshake on a blocking socket. Returns NULL if it fails. May be called from many threads.
halyard_tls_session *halyard_tls_accept(halyard_tls_server *server, int descriptor);
// Both return the number of bytes, at least one, or 0 if the connection has ended.
int halyard_tls_read(halyard_tls_session *session, void *buffer, int count);
int halyard_tls_write(halyard_tls_session *session, const void *bytes, int count);
// Sends close_notify (RFC 8446 section 6.1).
void halyard_tls_end(halyard_tls_session *session);
// Does not close the socket.
void halyard_tls_session_destroy(halyard_tls_session *session);

#endif
