/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and names by BLAKE3. */
#include "fleet/content/key.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <blake3.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"

bool content_tenant_is_good(const char *tenant)
{
	size_t len = tenant ? strlen(tenant) : 0;

	return len && len < 64 && isalnum((unsigned char)*tenant) &&
	       strspn(tenant, "abcdefghijklmnopqrstuvwxyz0123456789._-") == len;
}

static void derive(const char *use, const uint8_t secret[CONTENT_ID], const char *tenant, uint8_t *ret,
		   size_t len)
{
	blake3_hasher h;

	blake3_hasher_init_derive_key(&h, use);
	blake3_hasher_update(&h, secret, CONTENT_ID);
	blake3_hasher_update(&h, tenant, strlen(tenant));
	blake3_hasher_finalize(&h, ret, len);
	explicit_bzero(&h, sizeof(h));
}

void content_key_init(const uint8_t secret[CONTENT_ID], const char *tenant, struct content_key *ret)
{
	uint8_t name[16], peer[CONTENT_ID];

	derive("aisbx content 1: name of a chunk", secret, tenant, ret->chunk, sizeof(ret->chunk));
	derive("aisbx content 1: name of a tree", secret, tenant, ret->tree, sizeof(ret->tree));
	derive("aisbx content 1: seal of an index", secret, tenant, ret->seal, sizeof(ret->seal));
	derive("aisbx content 1: directory of a cache", secret, tenant, name, sizeof(name));
	io_hex(name, sizeof(name), ret->name);
	derive("aisbx content 1: word for a peer", secret, tenant, peer, sizeof(peer));
	content_id_write(peer, ret->peer);
}

void content_key_finish(struct content_key *k)
{
	explicit_bzero(k, sizeof(*k));
}

int content_key_load(const char *path, const char *tenant, struct content_key *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t secret[CONTENT_ID + 1];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "open the key '%.200s'", path);
	if (!S_ISREG(st.st_mode) || (st.st_mode & 077) || (st.st_uid != geteuid() && st.st_uid != 0))
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_LAYER, EPERM,
			"the key '%.200s' can be read or replaced by others; it must be a file of "
			"yours with mode 0600",
			path);
	n = read(fd, secret, sizeof(secret));
	if (n == CONTENT_ID)
		content_key_init(secret, tenant, ret);
	explicit_bzero(secret, sizeof(secret));
	if (n != CONTENT_ID)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_LAYER, EINVAL,
			"the key '%.200s' does not have exactly %u bytes; make one by 'head -c %u "
			"/dev/urandom'",
			path, CONTENT_ID, CONTENT_ID);
	return 0;
}

void content_name(const uint8_t key[CONTENT_ID], const void *data, size_t len, uint8_t ret[CONTENT_ID])
{
	blake3_hasher h;

	blake3_hasher_init_keyed(&h, key);
	blake3_hasher_update(&h, data, len);
	blake3_hasher_finalize(&h, ret, CONTENT_ID);
}

void content_id_write(const uint8_t id[CONTENT_ID], char ret[CONTENT_HEX])
{
	io_hex(id, CONTENT_ID, ret);
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool content_id_read(const char *text, uint8_t ret[CONTENT_ID])
{
	if (!text || strlen(text) != CONTENT_HEX - 1)
		return false;
	for (size_t i = 0; i < CONTENT_ID; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		ret[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

bool content_ref_is_hole(const struct content_ref *r)
{
	static const uint8_t zeros[CONTENT_ID];

	return !memcmp(r->id, zeros, sizeof(zeros));
}
