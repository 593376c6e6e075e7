/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 by OpenSSL. Its calls on a context that exists cannot fail. */
#include "helpers/image/hash.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

void *hash_create(void)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	if (c && EVP_DigestInit_ex(c, EVP_sha256(), NULL) != 1) {
		EVP_MD_CTX_free(c);
		return NULL;
	}
	return c;
}

void hash_destroy(void *hash)
{
	EVP_MD_CTX_free(hash);
}

void hash_drop(void **hash)
{
	hash_destroy(*hash);
}

void hash_restart(void *hash)
{
	EVP_DigestInit_ex(hash, EVP_sha256(), NULL);
}

void hash_add(void *hash, const void *data, size_t len)
{
	EVP_DigestUpdate(hash, data, len);
}

void hash_end(void *hash, char ret[DIGEST_CAP])
{
	uint8_t sum[EVP_MAX_MD_SIZE] = { 0 };

	EVP_DigestFinal_ex(hash, sum, NULL);
	digest_write(sum, ret);
}

#define CHUNK (256u << 10)

int hash_fd(int fd, char ret[DIGEST_CAP], uint64_t *ret_size, struct aisbx_error *e)
{
	scoped(hash_drop) void *hash = hash_create();
	scoped(drop_mem) char *chunk = malloc(CHUNK);
	uint64_t at = 0;
	ssize_t n;

	if (!hash || !chunk)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "hash a file");
	while ((n = pread(fd, chunk, CHUNK, (off_t)at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, errno, "hash a file");
		hash_add(hash, chunk, (size_t)n);
		at += (uint64_t)n;
	}
	hash_end(hash, ret);
	if (ret_size)
		*ret_size = at;
	return 0;
}
