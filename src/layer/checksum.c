/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of contents: the first 120 bits of SHA-256. */
#include "layer/checksum.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "layer/copy.h"

static void write_sum(struct sha256 *s, char ret[CHECKSUM_MAX])
{
	uint8_t sum[SHA256_BYTES];

	sha256_end(s, sum);
	io_hex(sum, (CHECKSUM_MAX - 1) / 2, ret);
}

static int add_bytes(struct sha256 *s, int fd)
{
	char chunk[65536];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			sha256_add(s, chunk, (size_t)n);
	return n < 0 ? -errno : 0;
}

int checksum_of_file(int at, const char *name, mode_t mode, char ret[CHECKSUM_MAX])
{
	scoped(drop_fd) int fd = -1;
	char target[PATH_MAX];
	struct sha256 s;
	struct stat now;
	ssize_t n;
	int r;

	sha256_init(&s);
	if (S_ISLNK(mode)) {
		n = copy_readlink(at, name, target, sizeof(target));
		if (n < 0)
			return (int)n;
		sha256_add(&s, target, (size_t)n);
		write_sum(&s, ret);
		return 0;
	}
	fd = copy_open(at, name);
	if (fd < 0)
		return fd;
	if (fstat(fd, &now) < 0)
		return -errno;
	if (!S_ISREG(now.st_mode)) /* it became something else meanwhile */
		return -ESTALE;
	r = add_bytes(&s, fd);
	if (r == 0)
		write_sum(&s, ret);
	return r;
}

void checksum_within(int at, const char *name, const struct stat *st, uint64_t *budget,
		     char ret[CHECKSUM_MAX])
{
	const uint64_t need = (uint64_t)st->st_size + 512; /* a file costs something even if it is empty */

	ret[0] = '\0';
	if ((!S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode)) || need > *budget)
		return;
	*budget -= need;
	if (checksum_of_file(at, name, st->st_mode, ret) < 0)
		ret[0] = '\0';
}
