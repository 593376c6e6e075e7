/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of hubs, nodes and submitters. */
#include "fleet/agent/loop.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

/* Events of the engine that are taken before their actions are performed: they are saved together. */
#define BATCH 64

struct watched {
	void (*when)(void *ctx, int fd, short revents);
	void *ctx;
};

struct loop {
	struct bus *bus;     /* borrowed */
	struct saved *saved; /* borrowed */
	struct loop_machine machine;
	struct fleet_actions actions; /* owned */
	struct pollfd *fds;      /* owned; the engine's, then the signals', then those that are watched */
	struct watched *watched; /* owned; beside FDS */
	size_t n_fds, room;
	int signals; /* owned */
	bool stopped, closed;
	struct aisbx_error why; /* of closed */
};

static void signals_of_loop(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGTERM);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGHUP);
	sigaddset(ret, SIGCHLD);
}

void loop_block_signals(void)
{
	sigset_t set;

	signals_of_loop(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

struct fleet_now loop_now(void)
{
	struct timespec count, calendar;

	clock_gettime(CLOCK_BOOTTIME, &count);
	clock_gettime(CLOCK_REALTIME, &calendar);
	return (struct fleet_now){
		.ms = (uint64_t)count.tv_sec * 1000u + (uint64_t)count.tv_nsec / 1000000u,
		.wall_ms = (uint64_t)calendar.tv_sec * 1000u + (uint64_t)calendar.tv_nsec / 1000000u,
	};
}

static void on_signal(void *ctx, int fd, short revents)
{
	struct loop *loop = ctx;
	struct signalfd_siginfo info;

	(void)revents;
	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (loop->machine.signal)
			loop->machine.signal(loop->machine.ctx, &info);
}

int loop_watch(struct loop *loop, int fd, short events, void (*when)(void *ctx, int fd, short revents),
	       void *ctx)
{
	size_t i = 0;

	while (i < loop->n_fds && loop->fds[i].fd != fd)
		i++;
	if (i == loop->room) {
		const size_t room = loop->room ? 2 * loop->room : 16;
		struct pollfd *fds = realloc(loop->fds, room * sizeof(*fds));
		struct watched *watched = fds ? realloc(loop->watched, room * sizeof(*watched)) : NULL;

		if (fds)
			loop->fds = fds;
		if (!watched)
			return -ENOMEM;
		loop->watched = watched;
		loop->room = room;
	}
	loop->fds[i] = (struct pollfd){ .fd = fd, .events = events };
	loop->watched[i] = (struct watched){ .when = when, .ctx = ctx };
	if (i == loop->n_fds)
		loop->n_fds++;
	return 0;
}

void loop_unwatch(struct loop *loop, int fd)
{
	for (size_t i = 0; i < loop->n_fds; i++)
		if (loop->fds[i].fd == fd) {
			loop->n_fds--;
			loop->fds[i] = loop->fds[loop->n_fds];
			loop->watched[i] = loop->watched[loop->n_fds];
			return;
		}
}

int loop_create(struct bus *bus, struct saved *saved, const struct loop_machine *machine, struct loop **ret,
		struct aisbx_error *e)
{
	struct loop *loop = calloc(1, sizeof(*loop));
	sigset_t set;

	if (!loop)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start");
	loop->bus = bus;
	loop->saved = saved;
	loop->machine = *machine;
	signals_of_loop(&set);
	loop->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (loop->signals < 0 || loop_watch(loop, bus_fd(bus), POLLIN, NULL, NULL) < 0 ||
	    loop_watch(loop, loop->signals, POLLIN, on_signal, loop) < 0) {
		loop_destroy(loop);
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "listen for signals and messages");
	}
	*ret = loop;
	return 0;
}

void loop_destroy(struct loop *loop)
{
	if (!loop)
		return;
	fleet_actions_finish(&loop->actions);
	drop_fd(&loop->signals);
	free(loop->fds);
	free(loop->watched);
	free(loop);
}

void loop_stop(struct loop *loop)
{
	loop->stopped = true;
}

void *loop_context(const struct loop *loop)
{
	return loop->machine.ctx;
}

struct fleet_actions *loop_actions(struct loop *loop)
{
	return &loop->actions;
}

static int save(struct loop *loop, const struct fleet_actions *actions, struct aisbx_error *e)
{
	const uint64_t wall_ms = loop_now().wall_ms;
	bool begun = false;
	int r = 0;

	for (size_t i = 0; i < actions->n && r == 0; i++) {
		if (!loop->saved || !saved_is_for(&actions->items[i]))
			continue;
		if (!begun)
			r = saved_begin(loop->saved, e);
		begun = true;
		if (r == 0)
			r = saved_perform(loop->saved, wall_ms, &actions->items[i], e);
	}
	return r == 0 && begun ? saved_commit(loop->saved, e) : r;
}

/* What a step saves is saved first: earlier than asked for is allowed, later is not. */
int loop_flush(struct loop *loop, struct aisbx_error *e)
{
	while (loop->actions.n) {
		struct fleet_actions now = loop->actions;
		int r;

		loop->actions = (struct fleet_actions){ 0 };
		r = save(loop, &now, e);
		for (size_t i = 0; i < now.n && r == 0; i++) {
			struct fleet_action *a = &now.items[i];

			if (loop->machine.sign && (a->kind == FLEET_SEND || a->kind == FLEET_ASK))
				loop->machine.sign(loop->machine.ctx, a);
			if (a->kind == FLEET_SEND)
				bus_send(loop->bus, &a->message);
			else if (a->kind == FLEET_ASK)
				bus_ask(loop->bus, &a->ask);
			else if (!saved_is_for(a) && loop->machine.perform)
				loop->machine.perform(loop->machine.ctx, a);
		}
		fleet_actions_finish(&now);
		if (r < 0)
			return r;
	}
	return 0;
}

static void take_event(struct loop *loop, struct bus_event *event)
{
	const struct loop_machine *m = &loop->machine;

	if (event->kind == BUS_MESSAGE && m->message)
		m->message(m->ctx, loop_now(), &event->message, &loop->actions);
	else if (event->kind == BUS_ANSWER && m->answer)
		m->answer(m->ctx, loop_now(), &event->answer, &loop->actions);
	else if (event->kind == BUS_LANE && m->lane)
		m->lane(m->ctx, loop_now(), event->class, event->tenant, &loop->actions);
	else if (event->kind == BUS_CLOSED) {
		loop->closed = true;
		aisbx_refuse(&loop->why, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, ECONNABORTED,
			     "the connection to NATS is closed: %s", event->text);
	} else if (m->event)
		m->event(m->ctx, event);
}

static void take_events(struct loop *loop)
{
	struct bus_event event;

	for (int i = 0; i < BATCH && !loop->closed && bus_next(loop->bus, &event); i++) {
		take_event(loop, &event);
		bus_event_finish(&event);
	}
}

static int wait_ms(struct loop *loop)
{
	const uint64_t now = loop_now().ms, next = loop->machine.next(loop->machine.ctx);

	if (next <= now)
		return 0;
	return next - now < INT_MAX ? (int)(next - now) : INT_MAX;
}

/* A callback may change the list, so each is called with what it was called for. */
static void serve(struct loop *loop)
{
	for (size_t i = loop->n_fds; i-- > 0;) {
		const struct pollfd p = i < loop->n_fds ? loop->fds[i] : (struct pollfd){ .fd = -1 };

		if (p.fd < 0 || !p.revents)
			continue;
		loop->fds[i].revents = 0;
		if (loop->watched[i].when)
			loop->watched[i].when(loop->watched[i].ctx, p.fd, p.revents);
		else
			take_events(loop);
	}
}

int loop_run(struct loop *loop, struct aisbx_error *e)
{
	int r = loop_flush(loop, e);

	while (r == 0 && !loop->stopped && !loop->closed) {
		const int n = poll(loop->fds, loop->n_fds, wait_ms(loop));

		if (n < 0 && errno != EINTR)
			return aisbx_fail(e, AISBX_AREA_RUN, errno, "wait for messages");
		if (n > 0)
			serve(loop);
		if (loop->machine.next(loop->machine.ctx) <= loop_now().ms)
			loop->machine.tick(loop->machine.ctx, loop_now(), &loop->actions);
		r = loop_flush(loop, e);
	}
	if (r == 0 && loop->closed) {
		*e = loop->why;
		return e->code;
	}
	return r;
}
