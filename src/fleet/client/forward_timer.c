/* SPDX-License-Identifier: Apache-2.0 */
/* The timers that server/core/loop.h promises, in the loop of the fleet. */
#include <stdlib.h>

#include "fleet/client/forward.h"
#include "fleet/core/memory.h"

struct timer {
	struct forwarder *f; /* borrowed */
	struct timer *next;
	timer_fn fn;
	void *ctx;
	uint64_t at_ms; /* UINT64_MAX: not at all */
};

int timer_add(struct loop *l, timer_fn fn, void *ctx, struct timer **ret_timer, struct aisbx_error *e)
{
	struct forwarder *f = loop_context(l);
	struct timer *t = fleet_new(sizeof(*t));

	(void)e;
	*t = (struct timer){ .f = f, .next = f->timers, .fn = fn, .ctx = ctx, .at_ms = UINT64_MAX };
	f->timers = t;
	*ret_timer = t;
	return 0;
}

void timer_set(struct timer *t, uint64_t after_ms)
{
	t->at_ms = after_ms ? loop_now().ms + after_ms : UINT64_MAX;
}

void timer_end(struct timer **t)
{
	struct timer **at;

	if (!*t)
		return;
	at = &(*t)->f->timers;
	while (*at != *t)
		at = &(*at)->next;
	*at = (*t)->next;
	free(*t);
	*t = NULL;
}

static struct timer *find_due(const struct forwarder *f, uint64_t now_ms)
{
	struct timer *t = f->timers;

	while (t && t->at_ms > now_ms)
		t = t->next;
	return t;
}

/* Each may end others, so they are looked for anew. One that sets itself again is later. */
void forward_timers_tick(struct forwarder *f, uint64_t now_ms)
{
	for (struct timer *t; (t = find_due(f, now_ms));) {
		t->at_ms = UINT64_MAX;
		t->fn(t->ctx);
	}
}

uint64_t forward_timers_next(const struct forwarder *f)
{
	uint64_t next = UINT64_MAX;

	for (const struct timer *t = f->timers; t; t = t->next)
		if (t->at_ms < next)
			next = t->at_ms;
	return next;
}
