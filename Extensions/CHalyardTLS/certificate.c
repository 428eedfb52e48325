// Certificates for the servers of tests (RFC 5280), with keys on the curve P-256.

#include "certificate.h"

#include <stdint.h>
#include <stdlib.h>

#define ssl halyard_openssl

static EVP_PKEY *make_key(void) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = ssl.EVP_PKEY_CTX_new_id(HALYARD_EVP_PKEY_EC, NULL);
    if (!context) return NULL;
    if (ssl.EVP_PKEY_keygen_init(context) > 0 &&
        ssl.EVP_PKEY_CTX_ctrl(context, HALYARD_EVP_PKEY_EC, HALYARD_EVP_PKEY_OP_KEYGEN,
                              HALYARD_EVP_PKEY_CTRL_EC_PARAMGEN_CURVE_NID, HALYARD_NID_P256, NULL) > 0)
        ssl.EVP_PKEY_keygen(context, &key);
    ssl.EVP_PKEY_CTX_free(context);
    return key;
}

static int set_name(X509_NAME *name, const char *text) {
    return ssl.X509_NAME_add_entry_by_txt(name, "CN", HALYARD_MBSTRING_ASC, (const unsigned char *)text, -1, -1, 0);
}

static int add_extension(X509 *certificate, X509 *issuer, int kind, const char *value) {
    // X509V3_CTX is a structure of nine words in OpenSSL 3, and smaller in 1.1. X509V3_set_ctx sets its fields.
    uintptr_t storage[32] = {0};
    X509V3_CTX *context = (X509V3_CTX *)storage;
    ssl.X509V3_set_ctx(context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = ssl.X509V3_EXT_nconf_nid(NULL, context, kind, value);
    int added = extension && ssl.X509_add_ext(certificate, extension, -1);
    ssl.X509_EXTENSION_free(extension);
    return added;
}

static X509 *begin(EVP_PKEY *key, const char *name, long not_before, long not_after) {
    static _Atomic long serial = 1;
    X509 *certificate = ssl.X509_new();
    if (certificate && ssl.X509_set_version(certificate, 2) &&
        ssl.ASN1_INTEGER_set(ssl.X509_get_serialNumber(certificate), serial++) &&
        ssl.X509_gmtime_adj(ssl.X509_getm_notBefore(certificate), not_before) &&
        ssl.X509_gmtime_adj(ssl.X509_getm_notAfter(certificate), not_after) &&
        ssl.X509_set_pubkey(certificate, key) && set_name(ssl.X509_get_subject_name(certificate), name))
        return certificate;
    ssl.X509_free(certificate);
    return NULL;
}

static int sign(X509 *certificate, halyard_identity issuer) {
    return ssl.X509_set_issuer_name(certificate, ssl.X509_get_subject_name(issuer.certificate)) &&
           add_extension(certificate, issuer.certificate, HALYARD_NID_AUTHORITY_KEY_IDENTIFIER, "keyid") &&
           ssl.X509_sign(certificate, issuer.key, ssl.EVP_sha256());
}

halyard_identity halyard_make_issuer(void) {
    halyard_identity issuer = {NULL, make_key()};
    const long day = 24 * 3600;
    if (issuer.key) issuer.certificate = begin(issuer.key, "Halyard test issuer", -day, day);
    X509 *certificate = issuer.certificate;
    if (certificate && add_extension(certificate, certificate, HALYARD_NID_BASIC_CONSTRAINTS, "critical,CA:TRUE") &&
        add_extension(certificate, certificate, HALYARD_NID_KEY_USAGE, "critical,keyCertSign") &&
        add_extension(certificate, certificate, HALYARD_NID_SUBJECT_KEY_IDENTIFIER, "hash") &&
        sign(certificate, issuer))
        return issuer;
    halyard_free_identity(issuer);
    return (halyard_identity){NULL, NULL};
}

halyard_identity halyard_make_server(halyard_identity issuer, const char *names, long not_before, long not_after) {
    halyard_identity server = {NULL, make_key()};
    if (server.key) server.certificate = begin(server.key, "Halyard test server", not_before, not_after);
    X509 *certificate = server.certificate;
    if (certificate && add_extension(certificate, issuer.certificate, HALYARD_NID_SUBJECT_ALT_NAME, names) &&
        add_extension(certificate, issuer.certificate, HALYARD_NID_KEY_USAGE, "critical,digitalSignature") &&
        add_extension(certificate, issuer.certificate, HALYARD_NID_EXT_KEY_USAGE, "serverAuth") &&
        sign(certificate, issuer))
        return server;
    halyard_free_identity(server);
    return (halyard_identity){NULL, NULL};
}

void halyard_free_identity(halyard_identity identity) {
    ssl.X509_free(identity.certificate);
    ssl.EVP_PKEY_free(identity.key);
}

int halyard_write_pem(X509 *certificate, char *text, size_t limit) {
    BIO *memory = ssl.BIO_new(ssl.BIO_s_mem());
    if (!memory) return 0;
    int count = ssl.PEM_write_bio_X509(memory, certificate) ? ssl.BIO_read(memory, text, (int)limit) : 0;
    ssl.BIO_free(memory);
    if (count <= 0 || (size_t)count >= limit) return 0;
    text[count] = 0;
    return 1;
}
