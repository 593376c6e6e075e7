/* SPDX-License-Identifier: Apache-2.0 */
/* Each text ends with a NUL. A file is written beside the old one and takes its name. */
#include "box/list_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"

static char *path_of(const struct list_file *kind, const char *dir, const char *id, const char *suffix)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s/%s%s", dir, kind->place, id, suffix) < 0 ? NULL : path;
}

static int put(const char *fresh, const char *path, const struct buf *text)
{
	scoped(drop_fd) int fd = -1;
	int r;

	unlink(fresh); /* of one who was killed */
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = io_write_all(fd, text->data, text->len);
	if (r == 0 && rename(fresh, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(fresh);
	return r;
}

int list_file_keep(const struct list_file *kind, const char *dir, const char *id,
		   const struct strlist *values, struct aisbx_error *e)
{
	scoped(drop_mem) char *place = path_join(dir, kind->place);
	scoped(drop_mem) char *path = path_of(kind, dir, id, "");
	scoped(drop_mem) char *fresh = path_of(kind, dir, id, ".new");
	scoped(buf_finish) struct buf text = { 0 };
	int r;

	for (size_t i = 0; i < values->n; i++)
		buf_add(&text, values->items[i], strlen(values->items[i]) + 1);
	if (!place || !path || !fresh || text.failed || text.len > kind->most)
		return aisbx_fail(e, AISBX_AREA_BOX, text.len > kind->most ? E2BIG : ENOMEM,
				  "store %s of a box", kind->what);
	if (!values->n) {
		unlink(path);
		return 0;
	}
	mkdir(place, 0700); /* or it is there */
	r = put(fresh, path, &text);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "write '%s'", path) : 0;
}

int list_file_read(const struct list_file *kind, const char *dir, const char *id, struct strlist *ret,
		   struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_of(kind, dir, id, "");
	scoped(drop_fd) int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
	scoped(buf_finish) struct buf text = { 0 };
	int r;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read %s of box '%s'", kind->what, id);
	if (fd < 0 && errno == ENOENT)
		return 0;
	r = io_read_all(fd, kind->most, &text);
	if (r == 0 && (text.len > kind->most || (text.len && text.data[text.len - 1])))
		r = -EIO;
	for (size_t at = 0; r == 0 && at < text.len; at += strlen(text.data + at) + 1)
		strlist_add(ret, text.data + at);
	if (r == 0 && ret->failed)
		r = -ENOMEM;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "read %s of box '%s'", kind->what, id) : 0;
}

void list_file_drop(const struct list_file *kind, const char *dir, const char *id)
{
	scoped(drop_mem) char *path = path_of(kind, dir, id, "");

	if (path)
		unlink(path);
}
