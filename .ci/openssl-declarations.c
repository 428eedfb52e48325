// Compiles only if each of our declarations agrees with OpenSSL's headers.
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "openssl-declarations.h"

#define SAME(name, result, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name);
HALYARD_CRYPTO_FUNCTIONS(SAME)
HALYARD_SSL_FUNCTIONS(SAME)
_Static_assert(HALYARD_EVP_PKEY_EC == EVP_PKEY_EC && HALYARD_EVP_PKEY_OP_KEYGEN == EVP_PKEY_OP_KEYGEN, "operations");
_Static_assert(HALYARD_EVP_PKEY_CTRL_EC_PARAMGEN_CURVE_NID == EVP_PKEY_CTRL_EC_PARAMGEN_CURVE_NID, "control");
_Static_assert(HALYARD_NID_P256 == NID_X9_62_prime256v1, "the curve");
_Static_assert(HALYARD_NID_SUBJECT_KEY_IDENTIFIER == NID_subject_key_identifier, "extension");
_Static_assert(HALYARD_NID_KEY_USAGE == NID_key_usage && HALYARD_NID_EXT_KEY_USAGE == NID_ext_key_usage, "extensions");
_Static_assert(HALYARD_NID_SUBJECT_ALT_NAME == NID_subject_alt_name, "extension");
_Static_assert(HALYARD_NID_BASIC_CONSTRAINTS == NID_basic_constraints, "extension");
_Static_assert(HALYARD_NID_AUTHORITY_KEY_IDENTIFIER == NID_authority_key_identifier, "extension");
_Static_assert(HALYARD_MBSTRING_ASC == MBSTRING_ASC, "the encoding of a name");
// Has room in `add_extension`.
_Static_assert(sizeof(X509V3_CTX) <= 32 * sizeof(void *), "X509V3_CTX");
