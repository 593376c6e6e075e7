/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file to be merged or compared, and trusts nothing about it. */
#include "helpers/merge/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <git2.h>

#include "base/scope.h"

#define MAX_TEXT    ((off_t)64 << 20) /* what is larger is nobody's text */
#define BINARY_SPAN 8000              /* git looks for a NUL in as many bytes */

/* All of FD into s->data. A file that somebody still writes to is not merged. */
static int slurp(struct side *s, int fd, size_t size, struct aisbx_error *e)
{
	s->data = malloc(size + 1); /* one more, to notice growth, and never NULL */
	if (!s->data)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read %zu bytes of %s '%s'", size, s->role,
				  s->path);
	while (s->len <= size) {
		ssize_t n = read(fd, s->data + s->len, size + 1 - s->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return aisbx_fail(e, AISBX_AREA_LAYER, errno, "read %s '%s'", s->role, s->path);
		if (n == 0)
			break;
		s->len += (size_t)n;
	}
	if (s->len != size)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_LAYER, EBUSY,
				    "read %s '%s': its size changed meanwhile", s->role, s->path);
	return 0;
}

int side_load(struct side *s, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	struct stat st;
	int r;

	/* O_NONBLOCK: a FIFO put in the place of a file must not hold us up. */
	fd = open(s->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ELOOP)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_LAYER, ELOOP,
				    "open %s '%s': it is a symbolic link", s->role, s->path);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "open %s '%s'", s->role, s->path);
	if (fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "inspect %s '%s'", s->role, s->path);
	if (!S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_LAYER, EINVAL,
				    "read %s '%s': it is not a regular file", s->role, s->path);
	s->mode = st.st_mode & S_IXUSR ? GIT_FILEMODE_BLOB_EXECUTABLE : GIT_FILEMODE_BLOB;
	if (st.st_size > MAX_TEXT) {
		s->flawed = true;
		return 0;
	}
	r = slurp(s, fd, (size_t)st.st_size, e);
	if (r < 0)
		return r;
	s->flawed = memchr(s->data, '\0', s->len < BINARY_SPAN ? s->len : BINARY_SPAN);
	return 0;
}

int side_load_link(struct side *s, struct aisbx_error *e)
{
	ssize_t n;

	s->data = malloc(PATH_MAX);
	n = s->data ? readlink(s->path, s->data, PATH_MAX) : -1;
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "read the link %s '%s'", s->role, s->path);
	s->len = (size_t)n;
	s->mode = GIT_FILEMODE_LINK;
	return 0;
}
