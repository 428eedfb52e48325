// The functions and constants of OpenSSL that this target uses. A check of CI compares them with OpenSSL's headers.

#ifndef HALYARD_OPENSSL_DECLARATIONS_H
#define HALYARD_OPENSSL_DECLARATIONS_H

#ifndef OPENSSL_VERSION_NUMBER
typedef struct asn1_string_st ASN1_INTEGER;
typedef struct asn1_string_st ASN1_TIME;
typedef struct bio_st BIO;
typedef struct bio_method_st BIO_METHOD;
typedef struct conf_st CONF;
typedef struct engine_st ENGINE;
typedef struct evp_md_st EVP_MD;
typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_pkey_ctx_st EVP_PKEY_CTX;
typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_method_st SSL_METHOD;
typedef struct ssl_st SSL;
typedef struct X509_extension_st X509_EXTENSION;
typedef struct X509_crl_st X509_CRL;
typedef struct X509_name_st X509_NAME;
typedef struct X509_req_st X509_REQ;
typedef struct v3_ext_ctx X509V3_CTX;
typedef struct x509_st X509;
#endif

enum {
    HALYARD_EVP_PKEY_EC = 408,
    HALYARD_EVP_PKEY_OP_KEYGEN = 4,
    HALYARD_EVP_PKEY_CTRL_EC_PARAMGEN_CURVE_NID = 0x1001,
    HALYARD_NID_P256 = 415,
    HALYARD_NID_SUBJECT_KEY_IDENTIFIER = 82,
    HALYARD_NID_KEY_USAGE = 83,
    HALYARD_NID_SUBJECT_ALT_NAME = 85,
    HALYARD_NID_BASIC_CONSTRAINTS = 87,
    HALYARD_NID_AUTHORITY_KEY_IDENTIFIER = 90,
    HALYARD_NID_EXT_KEY_USAGE = 126,
    HALYARD_MBSTRING_ASC = 0x1001,
};

#define HALYARD_CRYPTO_FUNCTIONS(FUNCTION)                                                          \
    FUNCTION(ASN1_INTEGER_set, int, (ASN1_INTEGER *, long))                                         \
    FUNCTION(BIO_free, int, (BIO *))                                                                \
    FUNCTION(BIO_new, BIO *, (const BIO_METHOD *))                                                  \
    FUNCTION(BIO_read, int, (BIO *, void *, int))                                                   \
    FUNCTION(BIO_s_mem, const BIO_METHOD *, (void))                                                 \
    FUNCTION(EVP_PKEY_CTX_ctrl, int, (EVP_PKEY_CTX *, int, int, int, int, void *))                  \
    FUNCTION(EVP_PKEY_CTX_free, void, (EVP_PKEY_CTX *))                                             \
    FUNCTION(EVP_PKEY_CTX_new_id, EVP_PKEY_CTX *, (int, ENGINE *))                                  \
    FUNCTION(EVP_PKEY_free, void, (EVP_PKEY *))                                                     \
    FUNCTION(EVP_PKEY_keygen, int, (EVP_PKEY_CTX *, EVP_PKEY **))                                   \
    FUNCTION(EVP_PKEY_keygen_init, int, (EVP_PKEY_CTX *))                                           \
    FUNCTION(EVP_sha256, const EVP_MD *, (void))                                                    \
    FUNCTION(PEM_write_bio_X509, int, (BIO *, HALYARD_CONST_3 X509 *))                              \
    FUNCTION(X509V3_EXT_nconf_nid, X509_EXTENSION *, (CONF *, X509V3_CTX *, int, const char *))     \
    FUNCTION(X509V3_set_ctx, void, (X509V3_CTX *, X509 *, X509 *, X509_REQ *, X509_CRL *, int))     \
    FUNCTION(X509_EXTENSION_free, void, (X509_EXTENSION *))                                         \
    FUNCTION(X509_NAME_add_entry_by_txt, int,                                                       \
             (X509_NAME *, const char *, int, const unsigned char *, int, int, int))                \
    FUNCTION(X509_add_ext, int, (X509 *, X509_EXTENSION *, int))                                    \
    FUNCTION(X509_free, void, (X509 *))                                                             \
    FUNCTION(X509_get_serialNumber, ASN1_INTEGER *, (X509 *))                                       \
    FUNCTION(X509_get_subject_name, X509_NAME *, (const X509 *))                                    \
    FUNCTION(X509_getm_notAfter, ASN1_TIME *, (const X509 *))                                       \
    FUNCTION(X509_getm_notBefore, ASN1_TIME *, (const X509 *))                                      \
    FUNCTION(X509_gmtime_adj, ASN1_TIME *, (ASN1_TIME *, long))                                     \
    FUNCTION(X509_new, X509 *, (void))                                                              \
    FUNCTION(X509_set_issuer_name, int, (X509 *, HALYARD_CONST_3 X509_NAME *))                      \
    FUNCTION(X509_set_pubkey, int, (X509 *, EVP_PKEY *))                                            \
    FUNCTION(X509_set_version, int, (X509 *, long))                                                 \
    FUNCTION(X509_sign, int, (X509 *, EVP_PKEY *, const EVP_MD *))

#define HALYARD_SSL_FUNCTIONS(FUNCTION)                           \
    FUNCTION(SSL_CTX_free, void, (SSL_CTX *))                     \
    FUNCTION(SSL_CTX_new, SSL_CTX *, (const SSL_METHOD *))        \
    FUNCTION(SSL_CTX_set_alpn_select_cb, void,                    \
             (SSL_CTX *, int (*)(SSL *, const unsigned char **, unsigned char *, const unsigned char *, unsigned, void *), \
              void *))                                            \
    FUNCTION(SSL_CTX_use_PrivateKey, int, (SSL_CTX *, EVP_PKEY *)) \
    FUNCTION(SSL_CTX_use_certificate, int, (SSL_CTX *, X509 *))   \
    FUNCTION(SSL_accept, int, (SSL *))                            \
    FUNCTION(SSL_free, void, (SSL *))                             \
    FUNCTION(SSL_new, SSL *, (SSL_CTX *))                         \
    FUNCTION(SSL_read, int, (SSL *, void *, int))                 \
    FUNCTION(SSL_set_fd, int, (SSL *, int))                       \
    FUNCTION(SSL_shutdown, int, (SSL *))                          \
    FUNCTION(SSL_write, int, (SSL *, const void *, int))          \
    FUNCTION(TLS_server_method, const SSL_METHOD *, (void))

#ifndef HALYARD_CONST_3
// OpenSSL 3 declares these parameters const, and OpenSSL 1.1 does not.
#define HALYARD_CONST_3 const
#endif

#endif
