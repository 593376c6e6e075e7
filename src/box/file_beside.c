/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole file of a box, out of it or into it. What lies between is a file without a name in the state
 * directory, which aisbx-file has as its standard output: memory stays small, and who sends or reads slowly
 * does not keep the box.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/file_act.h"
#include "secret/scrub.h"

#define CHUNK (256u << 10)
/* What is searched for secrets at once; on both sides comes the margin. */
#define WINDOW (4u << 20)

/* Where the content begins. */
#define BEGIN ((off_t)sizeof(struct file_answer))

/* Not every file system has files without a name. */
static int open_spool(int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = box_state_dir(e), *name = dir ? path_join(dir, "beside.XXXXXX") : NULL;
	int fd;

	if (!name)
		return e->code ? e->code : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a file");
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR) && (fd = mkostemp(name, O_CLOEXEC)) >= 0)
		unlink(name);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make a file in '%s'", dir);
	*ret_fd = fd;
	return 0;
}

/* Others in the box may have got hold of it: what it says is checked, and read once. */
static int hear(struct box_act *f, int spool, uint64_t *ret_len, struct aisbx_error *e)
{
	struct file_answer *a = &f->reply.head;
	struct stat st;

	if (fstat(spool, &st) < 0 || st.st_size < BEGIN || pread(spool, a, sizeof(*a), 0) != sizeof(*a) ||
	    !box_file_checks(a, (uint64_t)(st.st_size - BEGIN)))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "the answer of aisbx-file is invalid");
	*ret_len = a->data_len;
	a->data_len = 0; /* none is in memory */
	return a->error ? box_act_explain(f, a, e) : 0;
}

static int act(struct box_act *f, int spool, uint64_t *ret_len, struct aisbx_error *e)
{
	int r;

	f->ask.head.flags |= FILE_BESIDE;
	r = box_file_send(&f->req, &f->ask, spool, &f->reply.run, e);
	if (r == 0)
		r = hear(f, spool, ret_len, e);
	else if (e->area == AISBX_AREA_BOX && e->code)
		aisbx_context(e, "%s '%s' in the box", f->ask.head.act == FILE_READ ? "read" : "write",
			      path_tail(f->path, PATH_TOLD));
	if (r < 0 && f->scan)
		scrub_error(e, fingerprints_scrub, f->scan);
	return r;
}

static int unread(const struct box_act *f, int err, struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, err ? err : EPROTO, "pass on '%s'", f->path);
}

static int unwritten(const struct box_act *f, int r, struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_USAGE, -r, "write '%s' to standard output", f->path);
}

/* LEN bytes as they are. Where the kernel cannot pass them on by itself they go through memory. */
static int copy_out(const struct box_act *f, int spool, uint64_t len, int out, struct aisbx_error *e)
{
	scoped(drop_mem) char *room = NULL;
	off_t at = BEGIN, end = BEGIN + (off_t)len;
	ssize_t n;
	int r = 0;

	while (r == 0 && at < end && !room) {
		n = sendfile(out, spool, &at, (size_t)(end - at));
		if (n < 0 && (errno == EINVAL || errno == ENOSYS)) {
			room = malloc(CHUNK);
			r = room ? 0 : unread(f, ENOMEM, e);
		} else if (n < 0 && errno != EINTR) {
			r = unwritten(f, -errno, e);
		} else if (n == 0) {
			r = unread(f, 0, e);
		}
	}
	while (r == 0 && at < end) {
		n = pread(spool, room, end - at < CHUNK ? (size_t)(end - at) : CHUNK, at);
		if (n <= 0)
			return unread(f, n < 0 ? errno : 0, e);
		at += n;
		r = io_write_all(out, room, (size_t)n);
		if (r < 0)
			return unwritten(f, r, e);
	}
	return r;
}

static int read_at(int fd, char *to, size_t len, off_t at)
{
	while (len) {
		ssize_t n = pread(fd, to, len, at);

		if (n <= 0)
			return n < 0 ? -errno : -EPROTO;
		to += n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Window by window, each with what is around it. A secret that goes on in the next one is told once. */
static int scrub_out(struct box_act *f, int spool, uint64_t len, int out, struct box_fetched *ret,
		     struct aisbx_error *e)
{
	const uint64_t margin = f->ask.head.margin;
	scoped(drop_mem) char *room = malloc(WINDOW + 2 * margin);
	uint64_t done = 0;
	int r = room ? 0 : unread(f, ENOMEM, e);

	while (r == 0 && done < len) {
		scoped(buf_finish) struct buf clean = { 0 };
		const uint64_t to = len - done < WINDOW ? len : done + WINDOW;
		const uint64_t from = done < margin ? 0 : done - margin;
		const uint64_t end = len - to < margin ? len : to + margin;
		size_t reached = 0;

		r = read_at(spool, room, end - from, BEGIN + (off_t)from);
		if (r < 0)
			return unread(f, -r, e);
		r = box_act_scrub(f, room, end - from, done - from, to - from, &clean, &reached,
				  &ret->redacted, e);
		if (r < 0)
			return r;
		ret->sent += clean.len;
		done = from + reached;
		r = io_write_all(out, clean.data, clean.len);
		if (r < 0)
			return unwritten(f, r, e);
	}
	return r;
}

int box_file_fetch(const struct caller *by, const char *box, const struct box_path *path, int out,
		   struct box_act *a, struct box_fetched *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int spool = -1;
	uint64_t len = 0;
	int r = box_act_begin(by, box, path, FILE_READ, a, e);

	if (r == 0)
		r = open_spool(&spool, e);
	if (r < 0)
		return r;
	a->ask.head.limit = FILE_MAX_PACK;
	a->req.profile.limits[LIMIT_FILE_SIZE] = 0; /* the file it goes into is ours */
	r = act(a, spool, &len, e);
	if (r < 0)
		return r;
	if (a->scan)
		return scrub_out(a, spool, len, out, ret, e);
	ret->sent = len;
	return copy_out(a, spool, len, out, e);
}

static int too_much(struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EFBIG,
			    "standard input has more than the %llu MiB that can be written at once; use a "
			    "command in the box",
			    FILE_MAX_PACK >> 20);
}

/*
 * All of it; or as much as was told, and not a byte more is waited for: who sends over a connection wants an
 * answer there. With one byte more than there may be it is too much.
 */
static int take_in(int in, int spool, const struct box_write *w, struct aisbx_error *e)
{
	const uint64_t most = w->has_size ? w->input : FILE_MAX_PACK + 1;
	scoped(drop_mem) char *room = malloc(CHUNK);
	uint64_t got = 0;
	ssize_t n = 1;
	int r = room && lseek(spool, BEGIN, SEEK_SET) == BEGIN ? 0 : -ENOMEM;

	while (r == 0 && got < most) {
		n = read(in, room, most - got < CHUNK ? (size_t)(most - got) : CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += (uint64_t)n;
		r = io_write_all(spool, room, (size_t)n);
	}
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "keep what standard input has");
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "read standard input");
	if (w->has_size && got < most)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EPIPE,
				    "standard input ended after %llu of %llu bytes; nothing was written",
				    (unsigned long long)got, (unsigned long long)most);
	if (got > FILE_MAX_PACK)
		return too_much(e);
	return 0;
}

int box_act_store(struct box_act *a, int in, const struct box_write *w, struct aisbx_error *e)
{
	scoped(drop_fd) int spool = -1;
	uint64_t none = 0;
	int r = w->has_size && w->input > FILE_MAX_PACK ? too_much(e) : open_spool(&spool, e);

	if (r == 0)
		r = take_in(in, spool, w, e);
	return r < 0 ? r : act(a, spool, &none, e);
}
