/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a file: the new one is written completely without a name, and replaces the old one in one step. If
 * it is killed meanwhile, the old one stays.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "helpers/file/file.h"

/* The file that is to become the new one. */
struct draft {
	int dir;       /* borrowed */
	int fd;        /* owned */
	char name[32]; /* "" while it has none */
	struct sha256 sum;
	uint64_t size, room;
};

static void draft_finish(struct draft *d)
{
	drop_fd(&d->fd);
	if (d->name[0])
		unlinkat(d->dir, d->name, 0);
}

static void make_name(struct draft *d)
{
	unsigned int random = 0;

	if (getrandom(&random, sizeof(random), 0) < 0)
		random = (unsigned int)getpid();
	snprintf(d->name, sizeof(d->name), ".aisbx-%08x~", random);
}

/* Without a name nobody sees it, and it goes when we go; not every file system has that. */
static int draft_open(struct draft *d)
{
	d->fd = openat(d->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	for (int i = 0; d->fd < 0 && i < 16; i++) {
		if (i && errno != EEXIST)
			break;
		make_name(d);
		d->fd = openat(d->dir, d->name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0666);
	}
	if (d->fd < 0)
		d->name[0] = '\0';
	sha256_init(&d->sum);
	return d->fd < 0 ? err() : 0;
}

static int draft_add(struct draft *d, const void *data, size_t len, struct file_answer *a)
{
	if (len > d->room || d->size > d->room - len)
		return why(a, FILE_WHY_ROOM, EDQUOT);
	sha256_add(&d->sum, data, len);
	d->size += len;
	return io_write_all(d->fd, data, len);
}

static int draft_give_name(struct draft *d)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", d->fd);
	for (int i = 0; i < 16; i++) {
		make_name(d);
		if (linkat(AT_FDCWD, self, d->dir, d->name, AT_SYMLINK_FOLLOW) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	d->name[0] = '\0';
	return err();
}

static int draft_place(struct draft *d, const char *name)
{
	int r = d->name[0] ? 0 : draft_give_name(d);

	if (r == 0 && renameat(d->dir, d->name, d->dir, name) < 0)
		r = err();
	if (r == 0)
		d->name[0] = '\0';
	return r;
}

/* All of a file that is to be edited. */
static int load(int fd, const struct stat *st, struct file_answer *a, struct buf *ret)
{
	char chunk[65536];
	ssize_t n;

	if ((uint64_t)st->st_size > FILE_MAX_DATA)
		return why(a, FILE_WHY_LARGE, EFBIG);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0) {
		buf_add(ret, chunk, (size_t)n);
		if (ret->len > FILE_MAX_DATA)
			return why(a, FILE_WHY_LARGE, EFBIG);
	}
	return n < 0 ? err() : ret->failed ? -ENOMEM : 0;
}

static int add_replaced(struct draft *d, const struct ask *q, int old, const struct stat *st,
			struct file_answer *a)
{
	scoped(buf_finish) struct buf text = { 0 };
	size_t n = q->head.len[FILE_A];
	const char *found = NULL, *at;
	uint64_t times = 0;
	int r = old < 0 ? -ENOENT : !n ? -EINVAL : load(old, st, a, &text);

	if (r < 0)
		return r;
	for (at = text.data; at && (at = memmem(at, (size_t)(text.data + text.len - at), q->part[FILE_A], n));
	     at++) {
		found = found ? found : at;
		times++;
	}
	a->next = times;
	if (times != 1)
		return why(a, times ? FILE_WHY_MANY_TEXTS : FILE_WHY_NO_TEXT, EINVAL);
	r = draft_add(d, text.data, (size_t)(found - text.data), a);
	if (r == 0)
		r = draft_add(d, q->part[FILE_B], q->head.len[FILE_B], a);
	return r < 0 ? r : draft_add(d, found + n, (size_t)(text.data + text.len - found) - n, a);
}

static int add_copy(struct draft *d, int old, struct file_answer *a)
{
	char chunk[65536];
	ssize_t n;
	int r = 0;

	while (r == 0 && (n = read(old, chunk, sizeof(chunk))) != 0) {
		r = n < 0 ? err() : draft_add(d, chunk, (size_t)n, a);
		if (r == 0 && d->size > FILE_MAX_WHOLE)
			r = why(a, FILE_WHY_LARGE, EFBIG);
	}
	return r;
}

/* What lies behind the place of the answer. */
static int add_beside(struct draft *d, struct file_answer *a)
{
	static char chunk[256 << 10];
	off_t at = sizeof(*a);
	ssize_t n;
	int r = 0;

	while (r == 0 && (n = pread(STDOUT_FILENO, chunk, sizeof(chunk), at)) != 0) {
		r = n < 0 ? err() : draft_add(d, chunk, (size_t)n, a);
		at += n;
	}
	return r;
}

static int add_content(struct draft *d, const struct ask *q, int old, const struct stat *st,
		       struct file_answer *a)
{
	int r = 0;

	if (q->head.flags & FILE_REPLACE)
		return add_replaced(d, q, old, st, a);
	if (q->head.flags & FILE_APPEND && old >= 0)
		r = add_copy(d, old, a);
	if (r < 0)
		return r;
	return q->head.flags & FILE_BESIDE ? add_beside(d, a)
					   : draft_add(d, q->part[FILE_B], q->head.len[FILE_B], a);
}

/* Whether what is there is what the caller believes it to be. */
static int check(const struct file_request *q, int old, struct file_answer *a)
{
	int r;

	if (q->flags & FILE_IF_ABSENT && old >= 0)
		return why(a, FILE_WHY_CHANGED, ESTALE);
	if (!(q->flags & FILE_IF_SUM))
		return 0;
	if (old < 0)
		return why(a, FILE_WHY_CHANGED, ESTALE);
	r = sum_file(old, a);
	if (r == 0 && (!a->has_sum || memcmp(a->sum, q->sum, sizeof(q->sum)) != 0))
		r = why(a, FILE_WHY_CHANGED, ESTALE);
	return r;
}

/* What people gave the old one, the new one has, too. */
static int dress(const struct draft *d, const struct file_request *q, int old, const struct stat *st)
{
	struct stat now;

	if (fstat(d->fd, &now) < 0)
		return err();
	if (old >= 0 && (st->st_uid != now.st_uid || st->st_gid != now.st_gid) &&
	    fchown(d->fd, st->st_uid, st->st_gid) < 0 && errno != EPERM && errno != EINVAL)
		return err();
	if (q->flags & FILE_SET_MODE || old >= 0)
		return fchmod(d->fd, q->flags & FILE_SET_MODE ? q->mode & 07777 : st->st_mode & 07777) < 0
			       ? err()
			       : 0;
	return 0;
}

int act_write(const struct ask *q, struct file_answer *a)
{
	scoped(drop_fd) int dir = -1;
	scoped(drop_fd) int old = -1;
	scoped(drop_mem) char *name = NULL;
	scoped(draft_finish) struct draft d = { .fd = -1, .room = q->head.room };
	struct stat st = { 0 };
	int r = open_parent(q->part[FILE_PATH], true, !(q->head.flags & FILE_REPLACE), &dir, &name);

	if (r < 0)
		return r;
	d.dir = dir;
	old = open_file(dir, name, a, &st);
	if (old < 0 && old != -ENOENT)
		return old;
	r = check(&q->head, old, a);
	a->has_sum = 0;
	if (r == 0)
		r = draft_open(&d);
	if (r == 0)
		r = add_content(&d, q, old, &st, a);
	if (r == 0)
		r = dress(&d, &q->head, old, &st);
	if (r == 0)
		r = draft_place(&d, name);
	if (r < 0)
		return r;
	if (fstat(d.fd, &st) < 0)
		return err();
	tell_stat(a, &st);
	a->created = old < 0;
	sha256_end(&d.sum, a->sum);
	a->has_sum = 1;
	return 0;
}
