/* SPDX-License-Identifier: Apache-2.0 */
/* Makes certificates. */
#include "net/tls/ca.h"

#include <openssl/rand.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

#define DAY       86400L
#define CA_DAYS   30L /* aisbx-tls of a box that lives longer is started again */
#define LEAF_DAYS 7L

/* A number that no other certificate has. */
static bool set_serial(X509 *cert)
{
	unsigned char bytes[16];
	BIGNUM *n;
	bool good;

	if (RAND_bytes(bytes, sizeof(bytes)) != 1)
		return false;
	bytes[0] = (unsigned char)((bytes[0] & 0x7f) | 1);
	n = BN_bin2bn(bytes, sizeof(bytes), NULL);
	good = n && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(cert));
	BN_free(n);
	return good;
}

static bool add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509_EXTENSION *x;
	bool good;

	X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
	x = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	good = x && X509_add_ext(cert, x, -1) == 1;
	X509_EXTENSION_free(x);
	return good;
}

static X509 *blank(const char *name, EVP_PKEY *key, long days)
{
	X509 *cert = X509_new();
	X509_NAME *subject = cert ? X509_get_subject_name(cert) : NULL;

	/* A common name has 64 characters at most; who checks it looks at the other names, too. */
	if (cert && X509_set_version(cert, X509_VERSION_3) == 1 && set_serial(cert) &&
	    X509_gmtime_adj(X509_getm_notBefore(cert), -DAY) &&
	    X509_gmtime_adj(X509_getm_notAfter(cert), days * DAY) && X509_set_pubkey(cert, key) == 1 &&
	    (strlen(name) > 64 || X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
							     (const unsigned char *)name, -1, -1, 0) == 1))
		return cert;
	X509_free(cert);
	return NULL;
}

bool ca_init(struct ca *ca)
{
	*ca = (struct ca){ .key = EVP_EC_gen("P-256"), .leaf_key = EVP_EC_gen("P-256") };
	ca->cert = ca->key && ca->leaf_key ? blank("aisbx box", ca->key, CA_DAYS) : NULL;
	return ca->cert && X509_set_issuer_name(ca->cert, X509_get_subject_name(ca->cert)) == 1 &&
	       add_extension(ca->cert, ca->cert, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
	       add_extension(ca->cert, ca->cert, NID_key_usage, "critical,keyCertSign,cRLSign") &&
	       add_extension(ca->cert, ca->cert, NID_subject_key_identifier, "hash") &&
	       X509_sign(ca->cert, ca->key, EVP_sha256()) > 0;
}

void ca_finish(struct ca *ca)
{
	for (size_t i = 0; i < ca->n_leaves; i++)
		X509_free(ca->leaves[i].cert);
	X509_free(ca->cert);
	EVP_PKEY_free(ca->key);
	EVP_PKEY_free(ca->leaf_key);
	*ca = (struct ca){ 0 };
}

bool ca_pem(const struct ca *ca, struct buf *ret)
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *data = NULL;
	long n = bio && PEM_write_bio_X509(bio, ca->cert) == 1 ? BIO_get_mem_data(bio, &data) : 0;

	buf_add(ret, data, n > 0 ? (size_t)n : 0);
	BIO_free(bio);
	return n > 0 && buf_str(ret);
}

static X509 *make_leaf(const struct ca *ca, const char *name)
{
	X509 *cert = blank(name, ca->leaf_key, LEAF_DAYS);
	char names[EGRESS_NAME_MAX + 16];

	/* Without a common name it is the alternative one that must be understood. */
	snprintf(names, sizeof(names), "%sDNS:%s", strlen(name) > 64 ? "critical," : "", name);
	if (cert && X509_set_issuer_name(cert, X509_get_subject_name(ca->cert)) == 1 &&
	    add_extension(cert, ca->cert, NID_basic_constraints, "critical,CA:FALSE") &&
	    add_extension(cert, ca->cert, NID_key_usage, "critical,digitalSignature") &&
	    add_extension(cert, ca->cert, NID_ext_key_usage, "serverAuth") &&
	    add_extension(cert, ca->cert, NID_subject_alt_name, names) &&
	    add_extension(cert, ca->cert, NID_subject_key_identifier, "hash") &&
	    add_extension(cert, ca->cert, NID_authority_key_identifier, "keyid") &&
	    X509_sign(cert, ca->key, EVP_sha256()) > 0)
		return cert;
	X509_free(cert);
	return NULL;
}

static struct ca_leaf *place_for(struct ca *ca, const char *name)
{
	struct ca_leaf *oldest = &ca->leaves[0];

	for (size_t i = 0; i < ca->n_leaves; i++) {
		if (!strcmp(ca->leaves[i].name, name))
			return &ca->leaves[i];
		if (ca->leaves[i].made < oldest->made)
			oldest = &ca->leaves[i];
	}
	return ca->n_leaves < CA_MAX_LEAVES ? &ca->leaves[ca->n_leaves++] : oldest;
}

X509 *ca_leaf(struct ca *ca, const char *name)
{
	struct ca_leaf *l = place_for(ca, name);
	int64_t now = time(NULL);

	if (l->cert && !strcmp(l->name, name) && now - l->made < DAY && now >= l->made)
		return l->cert;
	X509_free(l->cert); /* connections have their own hold on it */
	l->cert = make_leaf(ca, name);
	l->made = now;
	snprintf(l->name, sizeof(l->name), "%s", name);
	return l->cert;
}
