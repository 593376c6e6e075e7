/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks a directory of an ended box by descriptor, one name at a time. Names and contents are not trusted: no
 * link is followed, only regular files are read, and depth, number and bytes are limited.
 */
#include "box/outputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/export_traps.h"
#include "box/picture.h"
#include "layer/copy.h"

#define MAX_DEPTH 32
#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Where to copy to. */
struct target {
	int fd;    /* -1: nowhere */
	int error; /* errno for which that is so; 0: nobody asked */
};

struct walk {
	struct outputs *h;
	const struct outputs_to *to;
	const struct redactor *hide; /* borrowed; NULL: nothing is looked for */
	uint64_t bytes;              /* copied so far */
	unsigned int looks;          /* at names, with `since` */
	bool failed;                 /* no memory */
};

/* What a face may show as a picture or page, by the first bytes. */
static const char *shown_as(int fd)
{
	static const struct {
		const char *magic;
		size_t len;
		const char *media;
	} known[] = {
		{ "%PDF-", 5, "application/pdf" },
		{ "<svg", 4, "image/svg+xml" },
	};
	char head[512];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	const char *picture = n > 0 ? picture_type(head, (size_t)n) : NULL;

	if (picture)
		return picture;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (n >= (ssize_t)known[i].len && !memcmp(head, known[i].magic, known[i].len))
			return known[i].media;
	if (n > 5 && !memcmp(head, "<?xml", 5) && memmem(head, (size_t)n, "<svg", 4))
		return "image/svg+xml";
	return NULL;
}

const char *outputs_media(int fd)
{
	const char *media = shown_as(fd);
	scoped(buf_finish) struct buf clean = { 0 };
	char head[4096];
	ssize_t n = media ? 0 : pread(fd, head, sizeof(head), 0);

	if (media)
		return media;
	for (int cut = 0; cut < 4 && n > 0; cut++) { /* the end may go through a character */
		clean.len = 0;
		buf_add_utf8(&clean, head, (size_t)(n > cut ? n - cut : n));
		if (clean.len == (size_t)(n > cut ? n - cut : n) && !memchr(head, 0, (size_t)n))
			return "text/plain";
	}
	return n == 0 ? "text/plain" : "application/octet-stream";
}

/* Whether OUT is what stands at *AT of the file, which goes on. */
static bool is_next(int fd, struct buf *out, uint64_t *at)
{
	scoped(drop_mem) char *there = malloc(out->len + 1);
	bool same = there && !out->failed && pread(fd, there, out->len, (off_t)*at) == (ssize_t)out->len &&
		    (!out->len || !memcmp(there, out->data, out->len));

	*at += out->len;
	out->len = 0;
	return same;
}

/* A redactor lets everything through but secrets: then what comes out is what went in. In doubt, there is
 * one. */
static bool holds_secret(int fd, const struct redactor *hide)
{
	scoped(buf_finish) struct buf out = { 0 };
	scoped(redact_finish) struct redact s;
	uint64_t at = 0, from = 0;
	char chunk[65536];
	bool clean = redact_init(&s, hide);
	ssize_t n;

	for (; clean && (n = pread(fd, chunk, sizeof(chunk), (off_t)from)) > 0; from += (uint64_t)n) {
		redact_feed(&s, chunk, (size_t)n, &out);
		clean = is_next(fd, &out, &at);
	}
	redact_end(&s, &out);
	return !clean || !is_next(fd, &out, &at) || at != from || s.failed;
}

static bool tells_secret(const char *path, const struct redactor *hide)
{
	scoped(buf_finish) struct buf out = { 0 };
	size_t n = strlen(path);

	return hide && (!redact_bytes(hide, path, n, &out) || out.len != n || memcmp(out.data, path, n));
}

/* 0, or the errno. */
static int copy_out(struct walk *w, int from, int out, const char *name, const struct stat *st)
{
	scoped(drop_fd) int to = -1;
	int r;

	if ((uint64_t)st->st_size > OUTPUTS_MAX_BYTES - w->bytes)
		return EFBIG;
	to = openat(out, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    st->st_mode & 0100 ? 0777 : 0666);
	if (to < 0)
		return errno;
	r = copy_data(from, to, st->st_size);
	if (r < 0) {
		unlinkat(out, name, 0);
		return -r;
	}
	w->bytes += (uint64_t)st->st_size;
	return 0;
}

/* What it would be where it is copied to. */
static const struct trap *trap_there(const struct walk *w, int fd, const char *path)
{
	scoped(drop_mem) char *text = NULL;

	if (w->to->fd < 0 || w->to->traps)
		return NULL;
	text = trap_is_read(path) ? box_export_trap_text(fd) : NULL;
	return box_export_trap(w->to->dir, path, text);
}

/* Whether it is of no interest to who asks what changed: nothing of that time, or no more looks are left. */
static bool is_passed_over(struct walk *w, int at, const char *name)
{
	const struct timespec *since = w->to->since;
	struct stat st;

	if (!since)
		return false;
	if (w->looks++ >= OUTPUTS_MAX_LOOKS) {
		w->h->not_listed++;
		return true;
	}
	return fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
	       st.st_ctim.tv_sec < since->tv_sec ||
	       (st.st_ctim.tv_sec == since->tv_sec && st.st_ctim.tv_nsec < since->tv_nsec);
}

/* What tools keep for themselves. */
static bool is_tools_own(const char *name)
{
	static const char *const names[] = { ".git", ".hg", ".svn", ".venv", "__pycache__", "node_modules" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void take_file(struct walk *w, int at, const struct target *out, const char *name, const char *path)
{
	scoped(drop_fd) int fd = openat(at, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	struct outputs_file f = { .error = fd < 0 ? errno : 0 };
	struct outputs_file *more;
	struct stat st;

	if ((fd >= 0 ? fstat(fd, &st) : fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW)) < 0 ||
	    !S_ISREG(st.st_mode) || w->h->n == OUTPUTS_MAX_FILES) {
		w->h->not_listed++;
		return;
	}
	more = reallocarray(w->h->files, w->h->n + 1, sizeof(*more));
	f.path = strdup(path);
	if (more)
		w->h->files = more;
	if (!more || !f.path) {
		free(f.path);
		w->failed = true;
		return;
	}
	f.size = (uint64_t)st.st_size;
	f.media = fd >= 0 ? shown_as(fd) : NULL;
	f.secret = tells_secret(path, w->hide) || (fd >= 0 && out->fd >= 0 && w->hide &&
						   f.size <= OUTPUTS_MAX_BYTES && holds_secret(fd, w->hide));
	if (fd >= 0 && !f.secret)
		f.trap = trap_there(w, fd, path);
	if (fd >= 0)
		f.error = (f.secret || f.trap) && out->fd >= 0 ? EPERM
			  : out->fd >= 0                       ? copy_out(w, fd, out->fd, name, &st)
							       : out->error;
	w->h->files[w->h->n++] = f;
}

/* The directory of the same name to copy into, which may be there already. */
static struct target step_out(const struct target *out, const char *name)
{
	int fd;

	if (out->fd < 0)
		return *out;
	if (mkdirat(out->fd, name, 0777) < 0 && errno != EEXIST)
		return (struct target){ .fd = -1, .error = errno };
	fd = openat(out->fd, name, DIRECTORY);
	return (struct target){ .fd = fd, .error = fd < 0 ? errno : 0 };
}

static void walk_dir(struct walk *w, int fd, const struct target *out, const char *path, int depth)
{
	scoped(drop_dir) DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int r = 0;

	if (!dir) {
		close(fd);
		w->h->unread++;
		return;
	}
	while (!w->failed && (entry = dir_next(dir, &r))) {
		scoped(drop_mem) char *below = *path ? path_join(path, entry->d_name) : strdup(entry->d_name);

		if (!below)
			w->failed = true;
		else if (entry->d_type == DT_DIR && w->to->since && is_tools_own(entry->d_name))
			continue;
		else if (entry->d_type != DT_DIR && is_passed_over(w, dirfd(dir), entry->d_name))
			continue;
		else if (entry->d_type != DT_DIR)
			take_file(w, dirfd(dir), out, entry->d_name, below);
		else if (depth == MAX_DEPTH ||
			 w->h->n == OUTPUTS_MAX_FILES) /* nothing in there would be listed */
			w->h->unread++;
		else {
			int sub = openat(dirfd(dir), entry->d_name, DIRECTORY);
			/* A directory is made for what is in it; of a git directory nothing is, so there is
			 * none. */
			bool shut = sub < 0 || (out->fd >= 0 && (tells_secret(below, w->hide) ||
								 (!w->to->traps && trap_in_git(below))));
			struct target sub_out = { .fd = -1, .error = EPERM };

			if (!shut)
				sub_out = step_out(out, entry->d_name);
			if (sub < 0)
				w->h->unread++;
			else
				walk_dir(w, sub, &sub_out, below, depth + 1);
			drop_fd(&sub_out.fd);
		}
	}
	if (r < 0)
		w->h->unread++;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct outputs_file *)a)->path, ((const struct outputs_file *)b)->path);
}

int outputs_collect(int tmp_fd, const char *name, const struct outputs_to *to, const struct redactor *hide,
		    struct outputs *ret, struct aisbx_error *e)
{
	struct outputs h = { 0 };
	struct walk w = { .h = &h, .to = to, .hide = hide };
	const struct target out = { .fd = to->fd };
	int fd = openat(tmp_fd, name, DIRECTORY);

	if (fd >= 0)
		walk_dir(&w, fd, &out, "", 0);
	else
		h.unread = 1; /* the program took its own directory away */
	if (w.failed) {
		outputs_finish(&h);
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list the files of the program");
	}
	if (h.n)
		qsort(h.files, h.n, sizeof(*h.files), by_path);
	*ret = h;
	return 0;
}

void outputs_finish(struct outputs *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->files[i].path);
	free(h->files);
	*h = (struct outputs){ 0 };
}
