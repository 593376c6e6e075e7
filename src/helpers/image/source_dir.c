/* SPDX-License-Identifier: Apache-2.0 */
/* A directory as a source: only regular files below it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "helpers/image/source.h"
#include "image/wire.h"
#include "sys/sys.h"

struct source_dir {
	struct source source;
	int fd;
};

static int open_file(const struct source_dir *s, const char *name, struct stat *ret_st, int *ret_fd,
		     struct aisbx_error *e)
{
	scoped(drop_fd) int fd = sys_openat2(s->fd, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0,
					     RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);

	if (fd == -ENOENT)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT, "the image has no '%s'",
				    name);
	if (fd == -EXDEV)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EXDEV,
				    "'%s' of the image leads out of it", name);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -fd, "open '%s' of the image", name);
	if (fstat(fd, ret_st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s' of the image", name);
	if (!S_ISREG(ret_st->st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				    "'%s' of the image is no regular file", name);
	*ret_fd = take_fd(&fd);
	return 0;
}

static int read_document(struct source *source, const char *name, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	struct stat st;
	int r = open_file((struct source_dir *)source, name, &st, &fd, e);

	if (r < 0)
		return r;
	r = st.st_size > IMAGE_MAX_JSON ? -EFBIG : io_read_all(fd, IMAGE_MAX_JSON, ret);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "read '%s' of the image", name) : 0;
}

static int give_each(struct source *source, const struct strlist *names, source_take_fn *take, void *ctx,
		     struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < names->n; i++) {
		scoped(drop_fd) int fd = -1;
		struct stream_file file;
		struct stat st;

		r = open_file((struct source_dir *)source, names->items[i], &st, &fd, e);
		if (r < 0)
			return r;
		stream_of_file(&file, fd);
		r = take(ctx, i, &file.stream, e);
	}
	return r;
}

static void close_dir(struct source *source)
{
	close(((struct source_dir *)source)->fd);
	free(source);
}

int source_open_dir(const char *path, struct source **ret, struct aisbx_error *e)
{
	struct source_dir *s;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open the image '%s'", path);
	s = malloc(sizeof(*s));
	if (!s) {
		close(fd);
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open the image '%s'", path);
	}
	*s = (struct source_dir){ { read_document, give_each, close_dir }, fd };
	*ret = &s->source;
	return 0;
}

void source_close(struct source **s)
{
	if (*s)
		(*s)->close(*s);
	*s = NULL;
}
