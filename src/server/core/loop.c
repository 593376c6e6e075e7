/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epoll, and a list of timers: hundreds of descriptors can be watched at once, but only a few timers are set.
 */
#include "server/core/loop.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"

#define EVENTS_AT_ONCE 64

struct watch {
	struct loop *loop;
	int fd;
	uint32_t events;
	watch_fn fn; /* NULL: it has ended, and is freed when nobody can come to it any more */
	void *ctx;
	struct watch *next_ended;
};

struct timer {
	struct loop *loop;
	timer_fn fn;
	void *ctx;
	uint64_t at_ms; /* 0: not set */
	struct timer *prev, *next;
};

struct loop {
	int fd;
	bool stopped;
	struct watch *ended;
	struct timer *timers;
	struct timer *turn; /* the next to be looked at, while they are; who ends it moves this on */
};

int loop_new(struct loop **ret_loop, struct aisbx_error *e)
{
	struct loop *l = calloc(1, sizeof(*l));

	if (!l)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "set up the event loop");
	l->fd = epoll_create1(EPOLL_CLOEXEC);
	if (l->fd < 0) {
		int err = errno;

		free(l);
		return aisbx_fail(e, AISBX_AREA_SYS, err, "set up the event loop");
	}
	*ret_loop = l;
	return 0;
}

static void free_ended(struct loop *l)
{
	while (l->ended) {
		struct watch *w = l->ended;

		l->ended = w->next_ended;
		free(w);
	}
}

void loop_destroy(struct loop *l)
{
	if (!l)
		return;
	free_ended(l);
	while (l->timers) {
		struct timer *t = l->timers;

		timer_end(&t);
	}
	close(l->fd);
	free(l);
}

void loop_stop(struct loop *l)
{
	l->stopped = true;
}

int watch_add(struct loop *l, int fd, uint32_t events, watch_fn fn, void *ctx, struct watch **ret_watch,
	      struct aisbx_error *e)
{
	struct watch *w = calloc(1, sizeof(*w));
	struct epoll_event ev = { .events = events, .data.ptr = w };

	if (!w)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "watch a descriptor");
	*w = (struct watch){ .loop = l, .fd = fd, .events = events, .fn = fn, .ctx = ctx };
	/* Without events it is not there at all, as after watch_set(w, 0). */
	if (events && epoll_ctl(l->fd, EPOLL_CTL_ADD, fd, &ev) < 0) {
		int err = errno;

		free(w);
		return aisbx_fail(e, AISBX_AREA_SYS, err, "watch a descriptor");
	}
	*ret_watch = w;
	return 0;
}

int watch_add_end(struct loop *l, watch_fn fn, void *ctx, int *ret_fd, struct watch **ret_watch,
		  struct aisbx_error *e)
{
	sigset_t ends;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	*ret_fd = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	if (*ret_fd < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "watch signals");
	return watch_add(l, *ret_fd, EPOLLIN, fn, ctx, ret_watch, e);
}

/* Without events it is not in the set at all: there the kernel would still tell of a hangup,
 * again and again. */
void watch_set(struct watch *w, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = w };

	if (events != w->events)
		epoll_ctl(w->loop->fd,
			  !events      ? EPOLL_CTL_DEL
			  : !w->events ? EPOLL_CTL_ADD
				       : EPOLL_CTL_MOD,
			  w->fd, &ev);
	w->events = events;
}

void watch_end(struct watch **w)
{
	struct watch *old = *w;

	if (!old)
		return;
	*w = NULL;
	watch_set(old, 0);
	old->fn = NULL;
	old->next_ended = old->loop->ended;
	old->loop->ended = old;
}

int timer_add(struct loop *l, timer_fn fn, void *ctx, struct timer **ret_timer, struct aisbx_error *e)
{
	struct timer *t = calloc(1, sizeof(*t));

	if (!t)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "make a timer");
	*t = (struct timer){ .loop = l, .fn = fn, .ctx = ctx, .next = l->timers };
	if (l->timers)
		l->timers->prev = t;
	l->timers = t;
	*ret_timer = t;
	return 0;
}

void timer_set(struct timer *t, uint64_t after_ms)
{
	t->at_ms = after_ms ? time_ms() + after_ms : 0;
}

void timer_end(struct timer **t)
{
	struct timer *old = *t;

	if (!old)
		return;
	*t = NULL;
	if (old->loop->turn == old)
		old->loop->turn = old->next;
	if (old->next)
		old->next->prev = old->prev;
	if (old->prev)
		old->prev->next = old->next;
	else
		old->loop->timers = old->next;
	free(old);
}

static int next_timeout(const struct loop *l)
{
	uint64_t first = 0, now;

	for (const struct timer *t = l->timers; t; t = t->next)
		if (t->at_ms && (!first || t->at_ms < first))
			first = t->at_ms;
	if (!first)
		return -1;
	now = time_ms();
	return first <= now ? 0 : first - now < INT_MAX ? (int)(first - now) : INT_MAX;
}

static void call_timers(struct loop *l)
{
	uint64_t now = time_ms();

	for (struct timer *t = l->timers; t; t = l->turn) {
		l->turn = t->next;
		if (t->at_ms && t->at_ms <= now) {
			t->at_ms = 0;
			t->fn(t->ctx);
		}
	}
	l->turn = NULL;
}

int loop_run(struct loop *l, struct aisbx_error *e)
{
	struct epoll_event events[EVENTS_AT_ONCE];

	while (!l->stopped) {
		int n = epoll_wait(l->fd, events, EVENTS_AT_ONCE, next_timeout(l));

		if (n < 0 && errno != EINTR)
			return aisbx_fail(e, AISBX_AREA_SYS, errno, "wait for events");
		for (int i = 0; i < n && !l->stopped; i++) {
			const struct watch *w = events[i].data.ptr;

			if (w->fn)
				w->fn(w->ctx, events[i].events);
		}
		if (!l->stopped)
			call_timers(l);
		free_ended(l);
	}
	return 0;
}
