// The loaded functions of OpenSSL.

#ifndef HALYARD_OPENSSL_H
#define HALYARD_OPENSSL_H

#include "openssl-declarations.h"

extern struct halyard_openssl {
#define FIELD(name, result, parameters) result(*name) parameters;
    HALYARD_CRYPTO_FUNCTIONS(FIELD)
    HALYARD_SSL_FUNCTIONS(FIELD)
#undef FIELD
} halyard_openssl;

#endif
