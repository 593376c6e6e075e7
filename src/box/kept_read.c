/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and reads the kept output of runs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/io.h"
#include "base/pack.h"
#include "base/scope.h"
#include "box/kept_output.h"

/* No file has more: head, tail, mark. */
#define MOST (2ull * KEPT_OUTPUT_RUN)

void kept_text_finish(struct kept_text *t)
{
	free(t->data);
	t->data = NULL;
}

/* The records follow each other to the end. */
static bool is_whole(const char *data, size_t len)
{
	for (size_t at = 0; at < len;) {
		struct runlog_head h;

		if (len - at < sizeof(h))
			return false;
		memcpy(&h, data + at, sizeof(h));
		if (h.stream < RUNLOG_STDOUT || h.stream > RUNLOG_STDERR || !h.time_us ||
		    h.len > len - at - sizeof(h))
			return false;
		at += sizeof(h) + h.len;
	}
	return true;
}

int kept_output_load(int dir, const char *name, struct kept_text *ret, struct kept_head *ret_head)
{
	scoped(drop_fd) int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	scoped(buf_finish) struct buf all = { 0 };
	scoped(kept_text_finish) struct kept_text t = { 0 };
	struct kept_head h;
	int r = fd < 0 ? -errno : io_read_all(fd, MOST, &all);

	if (r < 0)
		return r;
	if (all.len < sizeof(h) || all.len > MOST)
		return -EBADMSG;
	memcpy(&h, all.data, sizeof(h));
	if (memcmp(h.magic, KEPT_MAGIC, sizeof(h.magic)) || h.len > MOST || h.packed > 1)
		return -EBADMSG;
	if (!h.packed && h.len != all.len - sizeof(h))
		return -EBADMSG;
	t = (struct kept_text){ .data = malloc(h.len + 1), .len = h.len, .cut = h.cut };
	if (!t.data)
		return -ENOMEM;
	if (!h.packed)
		memcpy(t.data, all.data + sizeof(h), h.len);
	else if (!unpack_bytes(all.data + sizeof(h), all.len - sizeof(h), t.data, h.len))
		return -EBADMSG;
	if (!is_whole(t.data, t.len))
		return -EBADMSG;
	if (ret_head)
		*ret_head = h;
	*ret = t;
	t.data = NULL;
	return 0;
}

int kept_output_read(const struct kept_file *f, struct kept_text *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int all = -1;
	scoped(drop_fd) int dir = -1;
	int r = kept_output_dir(false, &all, e);

	if (r < 0)
		return r;
	dir = openat(all, f->project, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	r = dir < 0 ? -errno : kept_output_load(dir, f->run, ret, NULL);
	if (r < 0 && r != -ENOENT && r != -EBADMSG)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "read the output of run '%s'", f->run);
	return r;
}

/* As a log of which nothing more comes. */
static int give(const struct kept_text *t, int *ret_fd)
{
	struct runlog_head end = { .time_us = 1, .stream = RUNLOG_END };
	scoped(drop_fd) int fd = memfd_create("output", MFD_CLOEXEC);
	int r;

	for (size_t at = 0; at < t->len;) { /* it ends when the last of it came */
		struct runlog_head h;

		memcpy(&h, t->data + at, sizeof(h));
		end.time_us = h.time_us;
		at += sizeof(h) + h.len;
	}
	r = fd < 0 ? -errno : io_write_all(fd, t->data, t->len);
	if (r == 0)
		r = io_write_all(fd, &end, sizeof(end));
	if (r == 0)
		*ret_fd = take_fd(&fd);
	return r;
}

int kept_output_open(const char *run, int *ret_fd, uint64_t *ret_cut, struct aisbx_error *e)
{
	scoped(kept_text_finish) struct kept_text t = { 0 };
	scoped(drop_dir) DIR *d = NULL;
	struct dirent *entry;
	int all = -1, r = kept_output_dir(false, &all, e), found = -ENOENT;

	if (r < 0)
		return r;
	d = dir_take(all, &r);
	while (d && found == -ENOENT && (entry = dir_next(d, &r))) {
		scoped(drop_fd) int dir =
			openat(dirfd(d), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (dir >= 0)
			found = kept_output_load(dir, run, &t, NULL);
	}
	if (r == 0 && found == -ENOENT)
		return -ENOENT;
	if (r == 0)
		r = found == 0 ? give(&t, ret_fd) : found;
	*ret_cut = t.cut;
	if (r == -EBADMSG)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EBADMSG,
				    "the kept output of run '%s' is damaged", run);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "read the output of run '%s'", run) : 0;
}

/* What a list grows in. */
struct listing {
	struct kept_file *items; /* owned */
	size_t n, cap;
};

static int add_file(struct listing *l, int dir, const char *project, const char *run)
{
	struct kept_file *more;
	struct stat st;

	if (fstatat(dir, run, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 256;
		more = realloc(l->items, l->cap * sizeof(*more));
		if (!more)
			return -ENOMEM;
		l->items = more;
	}
	l->items[l->n] =
		(struct kept_file){ .time_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
				    .bytes = (int64_t)st.st_size };
	snprintf(l->items[l->n].run, STORE_ID_MAX, "%.*s", STORE_ID_MAX - 1, run);
	snprintf(l->items[l->n].project, sizeof(l->items->project), "%.16s", project);
	l->n++;
	return 0;
}

static int add_project(struct listing *l, int all, const char *project)
{
	scoped(drop_dir) DIR *d = NULL;
	struct dirent *entry;
	int r = 0, fd = openat(all, project, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	d = dir_take(fd, &r);
	while (d && r == 0 && (entry = dir_next(d, &r)))
		if (kept_output_is_run(entry->d_name))
			r = add_file(l, dirfd(d), project, entry->d_name);
	return r;
}

static int newest_first(const void *a, const void *b)
{
	const struct kept_file *x = a, *y = b;

	return (x->time_ns < y->time_ns) - (x->time_ns > y->time_ns);
}

int kept_output_list(struct kept_file **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_dir) DIR *d = NULL;
	struct listing l = { 0 };
	struct dirent *entry;
	int all = -1, r = kept_output_dir(false, &all, e);

	*ret_n = 0;
	if (r < 0)
		return r == -ENOENT && !e->code ? 0 : r;
	d = dir_take(all, &r);
	while (d && r == 0 && (entry = dir_next(d, &r)))
		if (strlen(entry->d_name) < sizeof(l.items->project))
			r = add_project(&l, dirfd(d), entry->d_name);
	if (r < 0) {
		free(l.items);
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "list the kept output");
	}
	if (l.n)
		qsort(l.items, l.n, sizeof(*l.items), newest_first);
	*ret = l.items;
	*ret_n = l.n;
	return 0;
}
