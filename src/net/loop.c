/* SPDX-License-Identifier: Apache-2.0 */
/* epoll, and a list of what is freed when nothing can name it any more. */
#include "net/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "base/scope.h"
#include "base/time.h"

#define EVENTS_AT_ONCE 64

int loop_init(struct loop *l)
{
	*l = (struct loop){ .epoll = epoll_create1(EPOLL_CLOEXEC), .now_ms = time_ms() };
	return l->epoll < 0 ? -errno : 0;
}

int loop_want(struct loop *l, struct source *s, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = s };
	int how = !s->events ? EPOLL_CTL_ADD : events ? EPOLL_CTL_MOD : EPOLL_CTL_DEL;

	if (events == s->events)
		return 0;
	if (epoll_ctl(l->epoll, how, s->fd, &e) < 0)
		return -errno;
	s->events = events;
	return 0;
}

void loop_close(struct loop *l, struct source *s)
{
	if (s->fd >= 0)
		loop_want(l, s, 0);
	close_fd(&s->fd);
	s->events = 0;
}

void loop_free_later(struct loop *l, void *memory)
{
	if (l->n_dead == l->cap_dead) {
		unsigned int cap = l->cap_dead ? l->cap_dead * 2 : 64;
		void **more = reallocarray(l->dead, cap, sizeof(*more));

		if (!more)
			return; /* lost, but never freed too early */
		l->dead = more;
		l->cap_dead = cap;
	}
	l->dead[l->n_dead++] = memory;
}

void loop_turn(struct loop *l, int wait_ms)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	int n = epoll_wait(l->epoll, events, EVENTS_AT_ONCE, wait_ms);

	l->now_ms = time_ms();
	for (int i = 0; i < n; i++) {
		struct source *s = events[i].data.ptr;

		if (s->fd >= 0 && s->events)
			s->ready(s, events[i].events);
	}
	while (l->n_dead)
		free(l->dead[--l->n_dead]);
}
