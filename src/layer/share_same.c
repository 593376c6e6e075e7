/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of two files: everything that somebody could see of them. */
#include "layer/share_same.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/time.h"

#define CHUNK (128u << 10)

bool share_same_stat(const struct stat *a, const struct stat *b)
{
	return a->st_mode == b->st_mode && a->st_uid == b->st_uid && a->st_gid == b->st_gid &&
	       a->st_size == b->st_size && a->st_dev == b->st_dev && a->st_ino != b->st_ino &&
	       time_compare(a->st_mtim, b->st_mtim) == 0;
}

/* Of A: whether B has the same value. */
static bool same_attr(int a, int b, const char *name)
{
	ssize_t n = fgetxattr(a, name, NULL, 0);
	scoped(drop_mem) char *first = n < 0 ? NULL : malloc((size_t)n + 1);
	scoped(drop_mem) char *second = n < 0 ? NULL : malloc((size_t)n + 1);

	return first && second && fgetxattr(a, name, first, (size_t)n + 1) == n &&
	       fgetxattr(b, name, second, (size_t)n + 1) == n && !memcmp(first, second, (size_t)n);
}

bool share_same_attrs(int a, int b)
{
	scoped(drop_mem) char *names = malloc(XATTR_LIST_MAX);
	ssize_t n = names ? flistxattr(a, names, XATTR_LIST_MAX) : -1;

	if (names && n < 0 && errno == EOPNOTSUPP)
		return true;
	if (n < 0 || flistxattr(b, NULL, 0) != n) /* as many bytes of names: then none of B is missing in A */
		return false;
	for (const char *name = names; name < names + n; name += strlen(name) + 1)
		if (!same_attr(a, b, name))
			return false;
	return true;
}

static ssize_t read_at(int fd, char *data, size_t len, off_t at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, data + done, len - done, at + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int share_same_content(int a, int b, off_t size)
{
	scoped(drop_mem) char *room = malloc((size_t)2 * CHUNK);

	if (!room)
		return -ENOMEM;
	for (off_t at = 0; at < size; at += CHUNK) {
		size_t want = size - at < (off_t)CHUNK ? (size_t)(size - at) : CHUNK;
		ssize_t n = read_at(a, room, want, at), m = read_at(b, room + CHUNK, want, at);

		if (n < 0 || m < 0)
			return n < 0 ? (int)n : (int)m;
		if (n != m || (size_t)n != want || memcmp(room, room + CHUNK, want) != 0)
			return 0;
	}
	return 1;
}
