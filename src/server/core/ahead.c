/* SPDX-License-Identifier: Apache-2.0 */
/* The children that wait for a call, a few of them, each for a minute: what they cost is memory. */
#include "server/core/ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "op/ahead.h"
#include "server/core/child.h"

/* Kinds of calls that are expected, one child of each. */
#define KINDS 4
/* A box gives up a little later. */
#define WAITS_MS 55000
/* For one to take its box down. */
#define END_MS 5000
/* After the last call; who asks at once for the next shall not wait for a fork. */
#define PAUSE_MS 2

/* The child of a kind; all descriptors are owned, -1: there is none. */
struct waiting {
	pid_t pid; /* 0: there is none */
	int exited, report, output[2], ask;
	struct watch *exited_watch, *ask_watch;
	bool is_ready;
};

struct kind {
	const struct op *op;    /* NULL: this place is free */
	json_t *args;           /* owned; without what comes late */
	char *owner, *cwd;      /* owned */
	const char *const *env; /* borrowed, as of all calls */
	bool person, keep_output;
	bool is_wanted; /* somebody has called it not long ago */
	bool cannot;    /* a child of it ended by itself: so would the next */
	uint64_t used;  /* higher: later */
	struct waiting child;
	struct timer *expires;
};

static struct {
	struct loop *loop; /* borrowed; NULL: nothing was called yet */
	struct timer *idle;
	struct kind kinds[KINDS];
	size_t n_calls; /* under way */
	uint64_t clock;
} pool;

static void drop_child(struct waiting *w)
{
	watch_end(&w->exited_watch);
	watch_end(&w->ask_watch);
	close_fd(&w->exited);
	close_fd(&w->report);
	close_fd(&w->output[0]);
	close_fd(&w->output[1]);
	close_fd(&w->ask);
	*w = (struct waiting){ .exited = -1, .report = -1, .output = { -1, -1 }, .ask = -1 };
}

/* It takes its box down and goes; on_child_exit hears of it. */
static void dismiss(struct kind *k)
{
	k->child.is_ready = false;
	watch_end(&k->child.ask_watch);
	close_fd(&k->child.ask);
}

static void on_child_exit(void *ctx, uint32_t events)
{
	struct kind *k = ctx;

	(void)events;
	if (waitpid(k->child.pid, NULL, WNOHANG) != k->child.pid)
		return;
	if (k->child.ask >= 0) {
		k->cannot = true;
		k->is_wanted = false;
	}
	drop_child(&k->child);
}

static void on_ask(void *ctx, uint32_t events)
{
	struct kind *k = ctx;
	char said;

	(void)events;
	if (recv(k->child.ask, &said, 1, MSG_DONTWAIT) == 1 && said == CHILD_READY)
		k->child.is_ready = true;
	else
		watch_end(&k->child.ask_watch); /* it has ended */
}

static void on_expiry(void *ctx)
{
	struct kind *k = ctx;

	k->is_wanted = false;
	if (k->child.pid)
		dismiss(k);
}

/* The child's ends go to THEIRS. */
static int open_ends(struct waiting *w, int theirs[CHILD_FDS])
{
	int ends[2];

	for (int i = 0; i < 3; i++) {
		if (pipe2(ends, O_CLOEXEC) < 0)
			return -errno;
		*(i ? &w->output[i - 1] : &w->report) = ends[0];
		theirs[REPORT_FD + i] = ends[1];
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	w->ask = ends[0];
	theirs[INPUT_FD] = ends[1];
	theirs[0] = theirs[1] = open("/dev/null", O_RDWR | O_CLOEXEC);
	theirs[2] = STDERR_FILENO;
	return theirs[0] < 0 ? -errno : 0;
}

static int watch_child(struct kind *k, struct aisbx_error *e)
{
	struct waiting *w = &k->child;
	int r;

	w->exited = (int)syscall(SYS_pidfd_open, w->pid, 0);
	if (w->exited < 0)
		return -errno;
	r = watch_add(pool.loop, w->exited, EPOLLIN, on_child_exit, k, &w->exited_watch, e);
	return r < 0 ? r : watch_add(pool.loop, w->ask, EPOLLIN, on_ask, k, &w->ask_watch, e);
}

/* Without one all goes on as if it were never expected. */
static void make(struct kind *k)
{
	const struct call_how how = { .owner = k->owner,
				      .person = k->person,
				      .cwd = k->cwd,
				      .env = k->env,
				      .keep_output = k->keep_output };
	struct aisbx_error e = AISBX_ERROR_INIT;
	int theirs[CHILD_FDS] = { -1, -1, -1, -1, -1, -1, -1 };
	struct waiting *w = &k->child;
	pid_t self = getpid();
	int r = open_ends(w, theirs);

	if (r == 0) {
		w->pid = fork();
		if (w->pid == 0)
			child_run_ahead(k->op, k->args, &how, theirs, self);
		r = w->pid < 0 ? -errno : watch_child(k, &e);
	}
	close_fd(&theirs[0]);
	for (int i = REPORT_FD; i < CHILD_FDS; i++)
		close_fd(&theirs[i]);
	if (r == 0) {
		timer_set(k->expires, WAITS_MS);
		return;
	}
	k->is_wanted = false;
	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, NULL, 0);
	}
	drop_child(w);
}

static struct kind *latest_without_child(void)
{
	struct kind *best = NULL;

	for (size_t i = 0; i < KINDS; i++) {
		struct kind *k = &pool.kinds[i];

		if (k->op && k->is_wanted && !k->child.pid && (!best || k->used > best->used))
			best = k;
	}
	return best;
}

static void on_idle(void *ctx)
{
	struct kind *k = pool.n_calls ? NULL : latest_without_child();

	(void)ctx;
	if (!k)
		return;
	make(k);
	timer_set(pool.idle, PAUSE_MS);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_of_kind(const struct kind *k, const struct op *op, const json_t *known,
		       const struct call_how *how)
{
	return k->op == op && k->env == how->env && k->person == how->person &&
	       k->keep_output == how->keep_output && same_text(k->owner, how->owner) &&
	       same_text(k->cwd, how->cwd) && json_equal(k->args, known);
}

/* What the call has that the next might not have leaves it alone. */
static json_t *known_args(const struct op *op, const json_t *args, const struct call_how *how)
{
	return how->input || how->given ? NULL : op_ahead_args(op, args);
}

static struct kind *find(const struct op *op, const json_t *known, const struct call_how *how)
{
	for (size_t i = 0; i < KINDS; i++)
		if (pool.kinds[i].op && is_of_kind(&pool.kinds[i], op, known, how))
			return &pool.kinds[i];
	return NULL;
}

static void forget(struct kind *k)
{
	k->op = NULL;
	json_decref(k->args);
	k->args = NULL;
	drop_mem(&k->owner);
	drop_mem(&k->cwd);
}

/* In the place of the one that was not used for longest, unless its child is still going. */
static struct kind *remember(const struct op *op, json_t *known, const struct call_how *how)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct kind *k = NULL;

	for (size_t i = 0; i < KINDS; i++)
		if (!k || pool.kinds[i].used < k->used)
			k = &pool.kinds[i];
	if (k->child.pid) {
		dismiss(k);
		return NULL;
	}
	forget(k);
	if (!k->expires && timer_add(pool.loop, on_expiry, k, &k->expires, &ignored) < 0)
		return NULL;
	k->owner = how->owner ? strdup(how->owner) : NULL;
	k->cwd = strdup(how->cwd);
	if (!k->cwd || (how->owner && !k->owner)) {
		forget(k);
		return NULL;
	}
	k->op = op;
	k->args = json_incref(known);
	k->env = how->env;
	k->person = how->person;
	k->keep_output = how->keep_output;
	k->cannot = false;
	return k;
}

static bool begin_pool(struct loop *l)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (pool.loop)
		return pool.loop == l;
	if (timer_add(l, on_idle, NULL, &pool.idle, &ignored) < 0)
		return false;
	pool.loop = l;
	for (size_t i = 0; i < KINDS; i++)
		drop_child(&pool.kinds[i].child);
	return true;
}

void ahead_begin(struct loop *l, const struct op *op, const json_t *args, const struct call_how *how)
{
	json_t *known = known_args(op, args, how);
	struct kind *k;

	pool.n_calls++;
	if (known && begin_pool(l)) {
		k = find(op, known, how);
		if (!k)
			k = remember(op, known, how);
		if (k) {
			k->used = ++pool.clock;
			k->is_wanted = !k->cannot;
		}
	}
	json_decref(known);
}

void ahead_end(void)
{
	if (--pool.n_calls == 0 && pool.loop)
		timer_set(pool.idle, PAUSE_MS);
}

static bool request(int ask, const json_t *args, const struct call_how *how, bool streams)
{
	scoped(drop_mem) char *text = child_request(args, how, streams);

	return text && send(ask, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)strlen(text);
}

bool ahead_take(const struct op *op, const json_t *args, const struct call_how *how, bool streams,
		struct ahead_taken *ret)
{
	json_t *known = pool.loop ? known_args(op, args, how) : NULL;
	struct kind *k = known ? find(op, known, how) : NULL;
	struct waiting *w = k ? &k->child : NULL;

	json_decref(known);
	if (!w || !w->is_ready)
		return false;
	if (!request(w->ask, args, how, streams)) {
		dismiss(k);
		return false;
	}
	*ret = (struct ahead_taken){ .pid = w->pid,
				     .exited = take_fd(&w->exited),
				     .report = take_fd(&w->report) };
	ret->output[0] = take_fd(&w->output[0]);
	ret->output[1] = take_fd(&w->output[1]);
	/* The watch of a descriptor ends before somebody else watches it. */
	drop_child(w);
	timer_set(k->expires, 0);
	return true;
}

/* Its box is gone before the server is; one that takes too long is no reason to stay. */
static void end_child(struct waiting *w)
{
	struct pollfd p = { .fd = w->exited, .events = POLLIN };

	if (!w->pid)
		return;
	close_fd(&w->ask);
	if (poll(&p, 1, END_MS) != 1)
		kill(w->pid, SIGKILL);
	waitpid(w->pid, NULL, 0);
	drop_child(w);
}

void call_finish(void)
{
	for (size_t i = 0; i < KINDS && pool.loop; i++) {
		struct kind *k = &pool.kinds[i];

		watch_end(&k->child.ask_watch);
		end_child(&k->child);
		forget(k);
		timer_end(&k->expires);
	}
	timer_end(&pool.idle);
	pool.loop = NULL;
}
