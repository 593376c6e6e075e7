/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates that real hosts are checked by, read before the walls are up. */
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "net/tls/ca.h"

static const char *const bundles[] = {
	"/etc/ssl/certs/ca-certificates.crt",                /* Debian, Arch, Alpine */
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* Fedora */
	"/etc/pki/tls/certs/ca-bundle.crt",                  /* older ones */
	"/etc/ssl/ca-bundle.pem",                            /* openSUSE */
	"/etc/ssl/cert.pem",
};

static int add_text(X509_STORE *store, const char *pem)
{
	BIO *bio = BIO_new_mem_buf(pem, -1);
	X509 *cert;
	int n = 0;

	while (bio && (cert = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
		n += X509_STORE_add_cert(store, cert) == 1;
		X509_free(cert);
	}
	BIO_free(bio);
	ERR_clear_error();
	return n;
}

/* Every file of a directory now: there is none to look into later. */
static bool add_directory(X509_STORE *store, const char *path)
{
	scoped(drop_dir) DIR *dir = opendir(path);
	struct dirent *entry;
	bool any = false;

	while (dir && (entry = readdir(dir))) {
		scoped(drop_mem) char *file = NULL;

		if (entry->d_name[0] != '.' && asprintf(&file, "%s/%s", path, entry->d_name) > 0)
			any |= X509_STORE_load_file(store, file) == 1;
	}
	return any;
}

static bool add_system(X509_STORE *store)
{
	const char *own = getenv("SSL_CERT_FILE"), *dir = getenv("SSL_CERT_DIR");
	bool any = own && *own && X509_STORE_load_file(store, own) == 1;

	if (dir && *dir)
		any |= add_directory(store, dir);
	if (any)
		return true;
	for (size_t i = 0; i < sizeof(bundles) / sizeof(bundles[0]); i++)
		if (X509_STORE_load_file(store, bundles[i]) == 1)
			return true;
	return false;
}

X509_STORE *ca_roots(const struct config *c, struct aisbx_error *e)
{
	X509_STORE *store = X509_STORE_new();
	int n = store && c->roots ? add_text(store, c->roots) : 0;
	bool system = store && !c->only_roots && add_system(store);

	ERR_clear_error();
	if (store && (!c->roots || n > 0) && (n || system))
		return store;
	X509_STORE_free(store);
	aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, ENOENT, "%s",
		     c->roots && !n ? "the roots that were given are no certificates"
				    : "there are no certificates to check hosts by; install ca-certificates, "
				      "or set SSL_CERT_FILE");
	return NULL;
}
