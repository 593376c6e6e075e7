/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changes among the files of a box, whoever changes it, until it is cancelled. While the box lives
 * somebody looks in it; while it is idle nothing changes but by those who leave word.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/end_with.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/file_act.h"
#include "box/owner.h"

#define PAUSE_MS 100
/* Larger lists are not made by who looks. */
#define MAX_LOOK (64u << 20)
/* A box that lives and yet cannot be looked into for so long is an error. */
#define PATIENCE_MS 5000

struct found {
	struct file_entry e;
	const char *path; /* borrowed from the data of its look */
	bool paired;
};

/* What there was at one time, by path. */
struct look {
	struct found *list; /* owned */
	size_t n;
	char *data; /* owned */
};

struct watch {
	const struct caller *by;
	const struct box_watch_request *req;
	struct look last;
	bool has_last;
	uint64_t until_ms; /* 0: none */
	uint64_t events;
	struct box_act f; /* for its path and marks */
};

static void look_finish(struct look *l)
{
	free(l->list);
	free(l->data);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct found *)a)->path, ((const struct found *)b)->path);
}

/* Takes DATA, in which every name gets an end: the head of the next entry has been read by then. */
static int look_make(char *data, size_t len, struct look *ret, struct aisbx_error *e)
{
	struct look l = { .data = data };
	const char *name, *target;
	struct file_entry entry;
	size_t at = 0, cap = 0;

	while (box_file_entry(data, len, &at, &entry, &name, &target)) {
		if (l.n == cap) {
			struct found *grown = realloc(l.list, (cap = cap ? cap * 2 : 256) * sizeof(*grown));

			if (!grown) {
				look_finish(&l);
				return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "watch the files of the box");
			}
			l.list = grown;
		}
		/* Over its own head, which has been copied: there is room for an end. */
		memmove((char *)(uintptr_t)name - 1, name, entry.name_len);
		data[(size_t)(name - data) - 1 + entry.name_len] = '\0';
		l.list[l.n++] = (struct found){ .e = entry, .path = name - 1 };
	}
	if (l.n)
		qsort(l.list, l.n, sizeof(*l.list), by_path);
	*ret = l;
	return 0;
}

static void tell(struct watch *w, const char *type, const struct found *f, const struct found *from)
{
	const struct box_change change = { type, f->path, from ? from->path : NULL,
					   box_file_type(f->e.type) };

	w->events++;
	w->req->tell(w->req->ctx, &change, w->f.scan);
}

static void compare_one(struct watch *w, const struct found *old, const struct found *now)
{
	bool same = old->e.type == now->e.type;
	bool content =
		old->e.size != now->e.size || old->e.mtime_ns != now->e.mtime_ns || old->e.ino != now->e.ino;

	if (!same ||
	    (content &&
	     now->e.type != FILE_IS_DIR)) /* of a directory the time says what its entries say better */
		tell(w, "modify", now, NULL);
	else if (old->e.mode != now->e.mode)
		tell(w, "chmod", now, NULL);
}

/* The same file under another name. */
static struct found *find_moved(const struct look *in, const struct found *f, const struct look *other)
{
	for (size_t i = 0; i < in->n; i++) {
		struct found *c = &in->list[i];

		if (!c->paired && c->e.ino == f->e.ino && c->e.type == f->e.type &&
		    !bsearch(c, other->list, other->n, sizeof(*c), by_path))
			return c;
	}
	return NULL;
}

static void compare(struct watch *w, struct look *old, struct look *now)
{
	for (size_t i = 0; i < now->n; i++) {
		struct found *n = &now->list[i],
			     *o = old->n ? bsearch(n, old->list, old->n, sizeof(*n), by_path) : NULL;
		struct found *from = o || !old->n ? NULL : find_moved(old, n, now);

		if (o)
			compare_one(w, o, n);
		else
			tell(w, from ? "rename" : "create", n, from);
		if (from)
			from->paired = true;
	}
	for (size_t i = 0; i < old->n; i++)
		if (!old->list[i].paired &&
		    !(now->n && bsearch(&old->list[i], now->list, now->n, sizeof(struct found), by_path)))
			tell(w, "remove", &old->list[i], NULL);
}

/* Takes DATA. */
static int hear(struct watch *w, char *data, size_t len, struct aisbx_error *e)
{
	struct look now = { 0 };
	int r = look_make(data, len, &now, e);

	if (r < 0)
		return r;
	if (w->has_last) {
		compare(w, &w->last, &now);
	} else {
		const struct box_change ready = { .type = "ready", .path = w->f.path };

		w->req->tell(w->req->ctx, &ready, NULL);
	}
	look_finish(&w->last);
	w->last = now;
	w->has_last = true;
	return 0;
}

static int ask(struct watch *w, enum file_act act, struct box_act *f, struct aisbx_error *e)
{
	int r = box_act_begin(w->by, w->req->box, &w->req->path, act, f, e);

	f->ask.head.depth = w->req->recursive ? FILE_MAX_DEPTH : 1;
	f->ask.head.limit = FILE_MAX_WATCH;
	return r;
}

/* One look into the box as it is. */
static int look_once(struct watch *w, struct aisbx_error *e)
{
	scoped(box_act_finish) struct box_act f = { 0 };
	int r = ask(w, FILE_LIST, &f, e);

	if (r == 0)
		r = box_act_do(&f, e);
	if (r == -ENOENT && w->has_last &&
	    e->area == AISBX_AREA_LAYER) { /* the directory is gone, and all in it */
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		return hear(w, NULL, 0, e);
	}
	if (r == 0 && f.reply.head.more)
		r = aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_LAYER, E2BIG,
				 "'%s' has more files than the %u that can be watched; watch a part of it",
				 f.path, FILE_MAX_WATCH);
	return r < 0 ? r : hear(w, take_mem(&f.reply.data), f.reply.head.data_len, e);
}

/*
 * In a process of its own: looks in the box while that lives. What comes out of the pipe is lists, and last
 * why it ended.
 */
static _Noreturn void look_on(struct watch *w, int out, pid_t parent)
{
	struct file_answer last = { .magic = ~FILE_MAGIC, .data_len = sizeof(struct aisbx_error) };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct box_act f = { 0 };
	int r;

	if (!end_with(parent, SIGKILL))
		_exit(1);
	r = ask(w, FILE_WATCH, &f, &e);
	if (r == 0)
		r = box_file_watch(&f.req, &f.ask, out, &e);
	if (r < 0 && e.code && e.code != -ESTALE && write(out, &last, sizeof(last)) == sizeof(last))
		r = (int)write(out, &e, sizeof(e));
	_exit(r < 0);
}

/* 1: all there; 0: the end; -ETIME. */
static int read_all(int fd, void *to, size_t len, uint64_t until_ms)
{
	for (char *at = to; len;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		uint64_t now = time_ms();
		ssize_t n;

		if (until_ms && now >= until_ms)
			return -ETIME;
		if (poll(&p, 1, until_ms ? (int)(until_ms - now < 1000000 ? until_ms - now : 1000000) : -1) <=
		    0)
			continue;
		n = read(fd, at, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		at += n;
		len -= (size_t)n;
	}
	return 1;
}

/* 1: a list was heard; 0: the box lives no more; -ETIME: that is enough. */
static int hear_live(struct watch *w, int fd, struct aisbx_error *e)
{
	struct file_answer a;
	char *data;
	int r = read_all(fd, &a, sizeof(a), w->until_ms);

	if (r <= 0)
		return r;
	if (a.magic == ~FILE_MAGIC && a.data_len == sizeof(*e))
		return read_all(fd, e, sizeof(*e), w->until_ms) > 0 ? e->code : 0;
	if (!box_file_checks(&a, MAX_LOOK))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "the answer of aisbx-file is invalid");
	if (a.why == FILE_WHY_LARGE)
		return box_act_explain(&w->f, &a, e);
	data = malloc(a.data_len + 1);
	if (!data)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "watch the files of the box");
	r = read_all(fd, data, a.data_len, w->until_ms);
	if (r <= 0) {
		free(data);
		return r;
	}
	r = hear(w, data, a.data_len, e);
	return r < 0 ? r : 1;
}

/* RET_HEARD: something came of it. */
static int follow(struct watch *w, bool *ret_heard, struct aisbx_error *e)
{
	const pid_t parent = getpid();
	int fds[2], r;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "watch the files of the box");
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		look_on(w, fds[1], parent);
	}
	close(fds[1]);
	r = pid < 0 ? aisbx_fail(e, AISBX_AREA_BOX, errno, "watch the files of the box") : 1;
	while (r > 0) {
		r = hear_live(w, fds[0], e);
		*ret_heard = *ret_heard || r > 0;
	}
	close(fds[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return r;
}

/* What may mean that a look is worth it: somebody lives there, or has been there. */
struct signs {
	bool lives;
	int64_t touched;
};

static int look_for_signs(const struct watch *w, struct signs *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	scoped(drop_fd) int live = -1;
	int r = box_state_open(&state, e);

	if (r == 0)
		r = box_find(&state, w->f.req.box.id, &box, e);
	if (r < 0)
		return r;
	ret->touched = box_touched(&state, &box);
	r = box_live_connect(&state, &box, &live, e);
	ret->lives = r == 0;
	return r == -ENOENT && !e->code ? 0 : r;
}

static int watch(struct watch *w, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000 };
	uint64_t alive_ms = time_ms();
	struct signs last = { .touched = -1 };
	int r = 0;

	while (r == 0 && !(w->until_ms && time_ms() >= w->until_ms)) {
		struct signs now = { 0 };
		bool heard = false;

		r = look_for_signs(w, &now, e);
		if (r == 0 && now.lives) {
			r = follow(w, &heard, e);
			if (heard)
				alive_ms = time_ms();
			if (r < 0 && r != -ETIME &&
			    (heard ||
			     time_ms() - alive_ms < PATIENCE_MS)) { /* it just began, or just ended */
				*e = (struct aisbx_error)AISBX_ERROR_INIT;
				r = 0;
			}
			last.touched = -1; /* what it did at its very end was not seen */
		} else if (r == 0 && now.touched != last.touched) {
			r = look_once(w, e);
			last = now;
			alive_ms = time_ms();
		}
		if (r == 0)
			nanosleep(&pause, NULL);
	}
	return r == -ETIME ? 0 : r;
}

void box_watched_finish(struct box_watched *w)
{
	free(w->path);
}

int box_watch(const struct caller *by, const struct box_watch_request *req, struct box_watched *ret,
	      struct aisbx_error *e)
{
	struct watch w = { .by = by,
			   .req = req,
			   .until_ms = req->timeout_ms ? time_ms() + req->timeout_ms : 0 };
	int r = box_act_begin(by, req->box, &req->path, FILE_WATCH, &w.f, e);

	if (r == 0)
		r = watch(&w, e);
	if (r == 0)
		*ret = (struct box_watched){ take_mem(&w.f.path), w.events };
	look_finish(&w.last);
	box_act_finish(&w.f);
	return r;
}
