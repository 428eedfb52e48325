#ifndef HALYARD_CERTIFICATE_H
#define HALYARD_CERTIFICATE_H

#include <stddef.h>

#include "openssl.h"

// A certificate and its key. Both are NULL if they could not be made.
typedef struct {
    X509 *certificate;
    EVP_PKEY *key;
} halyard_identity;

// Makes an issuer that is valid from yesterday until tomorrow.
halyard_identity halyard_make_issuer(void);
// Makes the certificate of a server.
halyard_identity halyard_make_server(halyard_identity issuer, const char *names, long not_before, long not_after);
void halyard_free_identity(halyard_identity identity);

// Writes a certificate in PEM. Returns whether there was room for it.
int halyard_write_pem(X509 *certificate, char *text, size_t limit);

#endif
