/* SPDX-License-Identifier: Apache-2.0 */
/* A piece of an artifact, as a piece of a file of a box is read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "artifact/artifact.h"
#include "base/error.h"
#include "base/scope.h"

/* The part of the content that is meant: all of a file, or one file of a directory. */
static int find_part(const struct artifact *a, const char *path, int fd, uint64_t *ret_at,
		     struct file_answer *ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct unpack *p = NULL;
	int r;

	ret->type = FILE_IS_FILE;
	ret->mode = (uint32_t)a->row.mode;
	ret->size = (uint64_t)a->row.size;
	ret->mtime_ns = a->row.created_ms * 1000000;
	if (strcmp(a->row.type, "directory") != 0)
		return path ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					   "artifact '%s' is a file, so there is no '%s' in it", a->row.id,
					   path)
			    : 0;
	if (!path)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EISDIR,
				    "artifact '%s' is a directory: give a path in it", a->row.id);
	p = calloc(1, sizeof(*p));
	if (!p)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the artifact");
	*p = (struct unpack){ .fd = fd, .end = (uint64_t)a->row.size };
	while ((r = unpack_next(p, e)) > 0) {
		if (p->e.type == FILE_IS_FILE && !strcmp(p->name, path)) {
			*ret_at = p->at;
			ret->mode = p->e.mode;
			ret->size = p->e.size;
			ret->mtime_ns = p->e.mtime_ns;
			return 0;
		}
		p->at += p->e.type == FILE_IS_FILE ? p->e.size : 0;
	}
	return r < 0 ? r
		     : aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
				    "there is no file '%s' in artifact '%s'", path, a->row.id);
}

/* A piece of SIZE bytes from AT on, with its margins, as if a box had answered with it. */
static int read_piece(struct box_act *f, int fd, uint64_t at, struct aisbx_error *e)
{
	const struct file_request *q = &f->ask.head;
	struct file_answer *a = &f->reply.head;
	uint64_t from = q->offset < a->size ? q->offset : a->size,
		 to = q->limit < a->size - from ? from + q->limit : a->size;
	uint64_t margin = q->margin ? q->margin : 1, end = margin < a->size - to ? to + margin : a->size;
	ssize_t n;

	a->before = from < q->margin ? from : q->margin;
	a->behind = end - to;
	a->offset = q->offset;
	a->next = to;
	a->data_len = end - (from - a->before);
	f->reply.data = malloc(a->data_len + 1);
	n = f->reply.data ? pread(fd, f->reply.data, a->data_len, (off_t)(at + from - a->before)) : -1;
	return n < 0 || (uint64_t)n != a->data_len
		       ? aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EIO,
				      "the content of the artifact cannot be read")
		       : 0;
}

int artifact_read(const struct artifact *a, const char *path, const struct box_window *w, struct box_act *ret,
		  struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	uint64_t at = 0;
	int r = box_window_settle(w, &ret->ask.head, e);

	if (r == 0)
		r = artifact_open(&a->state, &a->row, &fd, e);
	if (r == 0)
		r = find_part(a, path, fd, &at, &ret->reply.head, e);
	if (r == 0)
		r = box_act_fingerprints(ret, e);
	if (r == 0)
		r = read_piece(ret, fd, at, e);
	if (r < 0)
		return r;
	ret->path = strdup(path ? path : a->row.name);
	return ret->path ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the artifact");
}
