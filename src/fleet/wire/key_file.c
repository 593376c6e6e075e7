/* SPDX-License-Identifier: Apache-2.0 */
/* Files of keys: one line, "aisbx-fleet-key 1 SEED", which nobody else may read. */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/private_dir.h"
#include "base/scope.h"
#include "fleet/wire/key.h"

#define BASE64   sodium_base64_VARIANT_ORIGINAL
#define HEAD     "aisbx-fleet-key 1 "
#define HEAD_LEN (sizeof(HEAD) - 1)
#define SEED     crypto_sign_SEEDBYTES
/* With its NUL, in whose place the file has a line break. */
#define LINE (HEAD_LEN + sodium_base64_ENCODED_LEN(SEED, BASE64))

static int write_file(const char *path, const char line[LINE], struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : io_write_all(fd, line, LINE);

	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (r == 0)
		return 0;
	if (fd >= 0)
		unlink(path);
	return aisbx_fail(e, AISBX_AREA_SYS, -r, "make the key file '%s'", path);
}

int key_make_once(struct key *ret)
{
	return sodium_init() < 0 || crypto_sign_keypair(ret->public.bytes, ret->secret) != 0 ? -ENOSYS : 0;
}

int key_make(const char *path, struct key *ret, struct aisbx_error *e)
{
	uint8_t seed[SEED];
	char line[LINE];
	int r;

	if (sodium_init() < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOSYS, "make a key: libsodium has no random numbers");
	randombytes_buf(seed, sizeof(seed));
	memcpy(line, HEAD, HEAD_LEN);
	sodium_bin2base64(line + HEAD_LEN, LINE - HEAD_LEN, seed, sizeof(seed), BASE64);
	line[LINE - 1] = '\n';
	r = write_file(path, line, e);
	if (r == 0)
		crypto_sign_seed_keypair(ret->public.bytes, ret->secret, seed);
	sodium_memzero(seed, sizeof(seed));
	sodium_memzero(line, sizeof(line));
	return r;
}

static int check_file(int fd, const char *path, struct aisbx_error *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "look at the key file '%s'", path);
	if (!S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "read the key '%s': it is not a file", path);
	if (!private_dir_trusts(st.st_uid))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
				    "read the key '%s': it belongs to user %u, not to this one; "
				    "a key must be its user's own",
				    path, (unsigned)st.st_uid);
	if (st.st_mode & (st.st_uid == 0 && geteuid() != 0 ? 037 : 077))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
				    "read the key '%s': others can use it, too (mode %03o); chmod 600 it, "
				    "and make a new one if somebody may have read it",
				    path, (unsigned)st.st_mode & 0777);
	return 0;
}

int key_load(const char *path, struct key *ret, struct aisbx_error *e)
{
	/* Not to wait for the other end, were it a FIFO. */
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char line[LINE + 1];
	uint8_t seed[SEED];
	const char *end;
	size_t len = 0;
	ssize_t n;
	int r;

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "open the key file '%s'", path);
	if (sodium_init() < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOSYS, "read a key: libsodium has no random numbers");
	r = check_file(fd, path, e);
	if (r < 0)
		return r;
	n = read(fd, line, sizeof(line));
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "read the key file '%s'", path);
	if (n != LINE || memcmp(line, HEAD, HEAD_LEN) != 0 || line[LINE - 1] != '\n' ||
	    sodium_base642bin(seed, sizeof(seed), line + HEAD_LEN, LINE - HEAD_LEN - 1, NULL, &len, &end,
			      BASE64) ||
	    len != SEED || end != line + LINE - 1)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EBADMSG,
				 "read the key '%s': it holds no key of the fleet; 'fleet-users add' makes "
				 "one",
				 path);
	else
		crypto_sign_seed_keypair(ret->public.bytes, ret->secret, seed);
	sodium_memzero(seed, sizeof(seed));
	sodium_memzero(line, sizeof(line));
	return r;
}
