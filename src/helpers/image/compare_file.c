/* SPDX-License-Identifier: Apache-2.0 */
/* Contents, piece by piece. Where an archive has nothing, a file has zeros or a hole. */
#include "helpers/image/compare_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

#define PIECE 65536u

/* O_PATH to O_RDONLY. */
static int open_again(int fd)
{
	char self[32];
	int again;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	again = open(self, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return again < 0 ? -errno : again;
}

/* LEN bytes at OFFSET, all of them. */
static int read_at(int fd, uint8_t *ret, size_t len, uint64_t offset)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = pread(fd, ret + got, len - got, (off_t)(offset + got));

		if (n == 0)
			return -EUCLEAN; /* it has become shorter */
		if (n < 0 && errno != EINTR)
			return -errno;
		got += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* 1: DATA is at OFFSET; NULL: zeros are. */
static int is_at(int fd, const uint8_t *data, uint64_t len, uint64_t offset)
{
	static const uint8_t zeros[PIECE];
	uint8_t have[PIECE];

	while (len) {
		size_t n = len < PIECE ? (size_t)len : PIECE;
		off_t next = data ? (off_t)offset : lseek(fd, (off_t)offset, SEEK_DATA);
		int r;

		if (next < 0 && errno == ENXIO) /* only a hole is left */
			return 1;
		if (next > (off_t)offset) {
			uint64_t hole = (uint64_t)next - offset;

			if (hole >= len)
				return 1;
			offset += hole;
			len -= hole;
			continue;
		}
		r = read_at(fd, have, n, offset);
		if (r < 0)
			return r == -EUCLEAN ? 0 : r;
		if (memcmp(have, data ? data : zeros, n) != 0)
			return 0;
		data = data ? data + n : NULL;
		offset += n;
		len -= n;
	}
	return 1;
}

int compare_content(struct tar_reader *r, const struct tar_entry *t, int fd, const char **ret,
		    struct aisbx_error *e)
{
	scoped(drop_fd) int file = open_again(fd);
	const uint8_t *data;
	uint64_t at = 0, offset = 0;
	struct stat st;
	size_t len;
	int n, same = 1;

	*ret = NULL;
	if (file < 0 || fstat(file, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, file < 0 ? -file : errno, "read '%.200s'", t->path);
	if ((uint64_t)st.st_size != t->size) {
		*ret = "has another size";
		return 0;
	}
	while (same == 1 && (n = tar_data(r, &data, &len, &offset, e)) != 0) {
		if (n < 0)
			return n;
		same = offset > at ? is_at(file, NULL, offset - at, at) : 1;
		if (same == 1)
			same = is_at(file, data, len, offset);
		at = offset + len;
	}
	if (same == 1 && at < t->size)
		same = is_at(file, NULL, t->size - at, at);
	if (same < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -same, "read '%.200s'", t->path);
	*ret = same ? NULL : "has other content";
	return 0;
}

int compare_two_files(int a, int b, const char **ret)
{
	scoped(drop_fd) int one = open_again(a);
	scoped(drop_fd) int two = open_again(b);
	uint8_t data[PIECE];
	struct stat st, other;
	int r = one < 0 ? one : two < 0 ? two : 0;

	if (r == 0 && (fstat(one, &st) < 0 || fstat(two, &other) < 0))
		r = -errno;
	if (r < 0)
		return r;
	*ret = "has other content";
	if (st.st_size != other.st_size)
		return 0;
	for (off_t at = 0; at < st.st_size;) {
		size_t n = st.st_size - at < PIECE ? (size_t)(st.st_size - at) : PIECE;

		r = read_at(one, data, n, (uint64_t)at);
		if (r == 0)
			r = is_at(two, data, n, (uint64_t)at);
		if (r <= 0)
			return r == -EUCLEAN ? 0 : r;
		at += (off_t)n;
	}
	*ret = NULL;
	return 0;
}
