/* libcrypto (OpenSSL 3) as Swift sees it: digests, HMAC, encryption, signatures. */
#pragma once

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

/* Starts libcrypto without its clean-up at exit(3), which would pull the ground from under threads that still use it. */
static inline int docfs_start_crypto(void) {
    return OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>

/* Memory for a secret: of the secure heap while at most so many bytes of it are in use, else of the ordinary one. NULL where there is none.
   libcrypto needs room in that heap itself, for the state of its random numbers in each thread and for keys that sign, and fails without. */
static inline void *docfs_secret_memory(size_t length, size_t most) {
    void *memory = CRYPTO_secure_used() + length <= most ? OPENSSL_secure_malloc(length) : NULL;
    return memory ? memory : OPENSSL_malloc(length);
}

/* Overwrites and frees what docfs_secret_memory returned. */
static inline void docfs_forget_secret(void *memory, size_t length) { OPENSSL_secure_clear_free(memory, length); }

/* HKDF with SHA-256 (RFC 5869). Returns 1, or 0 on failure. */
static inline int docfs_hkdf(
    const unsigned char *key, size_t key_length, const unsigned char *salt, size_t salt_length,
    const unsigned char *info, size_t info_length, unsigned char *out, size_t out_length) {
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *context = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_length),
        OSSL_PARAM_construct_end(),
    };
    int result = context ? EVP_KDF_derive(context, out, out_length, parameters) : 0;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(kdf);
    return result == 1;
}

/* Seals or opens bytes with an AEAD in one piece. The tag has 16 bytes. Returns 1, or 0 on failure: of opening, when the tag does not fit. */
static inline int docfs_aead(
    const EVP_CIPHER *cipher, int seals, const unsigned char *key, const unsigned char *nonce,
    const unsigned char *associated, int associated_length, const unsigned char *in, int length, unsigned char *out,
    unsigned char *tag) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int count = 0, rest = 0;
    int ok = context && EVP_CipherInit_ex2(context, cipher, key, nonce, seals, NULL) == 1;
    if (ok && !seals) ok = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1;
    if (ok && associated_length > 0) ok = EVP_CipherUpdate(context, NULL, &count, associated, associated_length) == 1;
    if (ok && length > 0) ok = EVP_CipherUpdate(context, out, &count, in, length) == 1 && count == length;
    if (ok) ok = EVP_CipherFinal_ex(context, out + length, &rest) == 1 && rest == 0;
    if (ok && seals) ok = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
    EVP_CIPHER_CTX_free(context);
    return ok;
}

/* The public key of an Ed25519 seed: 32 bytes each. Returns 1, or 0 on failure. */
static inline int docfs_ed25519_public_key(const unsigned char *seed, unsigned char *out) {
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, 32);
    size_t length = 32;
    int ok = key && EVP_PKEY_get_raw_public_key(key, out, &length) == 1 && length == 32;
    EVP_PKEY_free(key);
    return ok;
}

/* The Ed25519 signature of a message: 64 bytes. Returns 1, or 0 on failure. */
static inline int docfs_ed25519_sign(
    const unsigned char *seed, const unsigned char *message, size_t message_length, unsigned char *out) {
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, 32);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t length = 64;
    int ok = key && context && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1
        && EVP_DigestSign(context, out, &length, message, message_length) == 1 && length == 64;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return ok;
}

/* Whether an Ed25519 signature of 64 bytes is that of the message. Returns 1 or 0. */
static inline int docfs_ed25519_verify(
    const unsigned char *public_key, const unsigned char *signature, const unsigned char *message,
    size_t message_length) {
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public_key, 32);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int ok = key && context && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1
        && EVP_DigestVerify(context, signature, 64, message, message_length) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return ok;
}
