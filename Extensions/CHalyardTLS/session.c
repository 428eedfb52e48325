#include "CHalyardTLS.h"

#include <dlfcn.h>
#include <string.h>

#include "certificate.h"

// SSL_CTX and SSL under names of our own. Both are only used as pointers.
#define CONTEXT(server) ((SSL_CTX *)(server))
#define SESSION(session) ((SSL *)(session))

struct halyard_openssl halyard_openssl;

const char *halyard_tls_load(const char *crypto, const char *ssl) {
    // If the program has OpenSSL already, as libcurl's, a second release beside it would call functions of the first.
    void *program = dlopen(NULL, RTLD_NOW);
    int is_loaded = program && dlsym(program, "X509_new") && dlsym(program, "SSL_CTX_new");
    void *library = is_loaded ? program : dlopen(crypto, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
// C has no cast from an object pointer to a function pointer. POSIX recommends this form.
#define FIND(name, result, parameters) \
    if (!(*(void **)&halyard_openssl.name = dlsym(library, #name))) return "it has no function " #name;
    HALYARD_CRYPTO_FUNCTIONS(FIND)
    library = is_loaded ? program : dlopen(ssl, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    HALYARD_SSL_FUNCTIONS(FIND)
#undef FIND
    return NULL;
}

halyard_tls_server *halyard_tls_server_create(const char *names, long not_before, long not_after,
                                              char root[HALYARD_TLS_PEM_LIMIT]) {
    halyard_identity issuer = halyard_make_issuer();
    if (!issuer.certificate) return NULL;
    halyard_identity server = halyard_make_server(issuer, names, not_before, not_after);
    SSL_CTX *context = server.certificate ? halyard_openssl.SSL_CTX_new(halyard_openssl.TLS_server_method()) : NULL;
    if (context && (halyard_openssl.SSL_CTX_use_certificate(context, server.certificate) != 1 ||
                    halyard_openssl.SSL_CTX_use_PrivateKey(context, server.key) != 1 ||
                    !halyard_write_pem(issuer.certificate, root, HALYARD_TLS_PEM_LIMIT))) {
        halyard_openssl.SSL_CTX_free(context);
        context = NULL;
    }
    halyard_free_identity(server);
    halyard_free_identity(issuer);
    return (halyard_tls_server *)context;
}

void halyard_tls_server_destroy(halyard_tls_server *server) { halyard_openssl.SSL_CTX_free(CONTEXT(server)); }

static int select_protocol(SSL *session, const unsigned char **selected, unsigned char *length,
                           const unsigned char *offers, unsigned count, void *protocol) {
    (void)session;
    for (unsigned at = 0; at < count; at += 1u + offers[at]) {
        if (offers[at] != strlen(protocol) || memcmp(&offers[at + 1], protocol, offers[at]) != 0) continue;
        *selected = &offers[at + 1];
        *length = offers[at];
        return 0;  // SSL_TLSEXT_ERR_OK
    }
    return 3;  // SSL_TLSEXT_ERR_NOACK
}

void halyard_tls_server_select(halyard_tls_server *server, const char *protocol) {
    halyard_openssl.SSL_CTX_set_alpn_select_cb(CONTEXT(server), select_protocol, (void *)protocol);
}

halyard_tls_session *halyard_tls_accept(halyard_tls_server *server, int descriptor) {
    SSL *session = halyard_openssl.SSL_new(CONTEXT(server));
    if (!session) return NULL;
    if (halyard_openssl.SSL_set_fd(session, descriptor) == 1 && halyard_openssl.SSL_accept(session) == 1)
        return (halyard_tls_session *)session;
    halyard_openssl.SSL_free(session);
    return NULL;
}

int halyard_tls_read(halyard_tls_session *session, void *buffer, int count) {
    int result = halyard_openssl.SSL_read(SESSION(session), buffer, count);
    return result > 0 ? result : 0;
}

int halyard_tls_write(halyard_tls_session *session, const void *bytes, int count) {
    int result = halyard_openssl.SSL_write(SESSION(session), bytes, count);
    return result > 0 ? result : 0;
}

void halyard_tls_end(halyard_tls_session *session) { halyard_openssl.SSL_shutdown(SESSION(session)); }

void halyard_tls_session_destroy(halyard_tls_session *session) { halyard_openssl.SSL_free(SESSION(session)); }
