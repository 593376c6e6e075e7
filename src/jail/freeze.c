/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stops every process of the box except pid 1, so that its files do not change. Uses signals: they need no
 * cgroup and no privilege, and work for all users.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/scope.h"
#include "jail/family.h"
#include "jail/keep.h"

#define FREEZE_MS 5000
/* How long we are gentle, and with how many. */
#define GENTLE_MS  500
#define GENTLE_MAX 1000

static bool frozen;
static struct census before; /* who had been stopped already, and by whom is not our business */

bool box_is_frozen(void)
{
	return frozen;
}

static bool was_stopped(pid_t pid)
{
	const struct process *p = census_find(&before, pid);

	return p && (p->state == 'T' || p->state == 't');
}

/* Children first: no parent shall find a child stopped that it did not stop. */
void thaw_box(void)
{
	scoped(census_finish) struct census c = { 0 };

	if (!frozen)
		return;
	frozen = false;
	if (census_take(&c, NULL, 0) < 0) {
		kill(-1, SIGCONT); /* better one too many than one for ever */
		return;
	}
	for (size_t i = c.n; i-- > 0;)
		if (!was_stopped(c.list[i].pid))
			family_signal(c.list[i].pid, SIGCONT);
}

static bool rests(const struct process *p)
{
	return process_rests(p) && process_threads_rest(p->pid);
}

/*
 * Gently: parents before their children. A shell that waits for its job would be told that the job has
 * stopped if that were stopped before the shell is; and who waits for a child of vfork cannot be stopped
 * before that has become a program. False when nobody moves.
 */
static bool stop_generation(struct census *c)
{
	bool moving = false;

	for (size_t i = 0; i < c->n; i++) {
		struct process *p = &c->list[i];
		const struct process *parent = census_find(c, p->parent);

		p->rests = rests(p);
		if (p->rests)
			continue;
		moving = true;
		if (!parent || parent->rests)
			family_signal(p->pid, SIGSTOP);
	}
	return moving;
}

/* A child of vfork that was stopped holds its parent up: it goes on for a moment, and the next look stops it
 * again. */
static void let_children_go(const struct census *c, pid_t parent)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].parent == parent && c->list[i].state == 'T' && !was_stopped(c->list[i].pid))
			family_signal(c->list[i].pid, SIGCONT);
}

/* Roughly: whoever moves. */
static bool stop_all(const struct census *c)
{
	bool moving = false;

	for (size_t i = 0; i < c->n; i++) {
		if (rests(&c->list[i]))
			continue;
		moving = true;
		family_signal(c->list[i].pid, SIGSTOP);
		let_children_go(c, c->list[i].pid);
	}
	return moving;
}

/* Looks, and stops some, until nobody moves; 1: somebody still does. */
static int stop_until(long long until, bool gently)
{
	scoped(census_finish) struct census c = { 0 };
	const struct timespec pause = { .tv_nsec = 300000 };

	do {
		int r = census_take(&c, NULL, 0);

		if (r < 0)
			return r;
		if (gently ? c.n <= GENTLE_MAX && !stop_generation(&c) : !stop_all(&c))
			return 0;
		nanosleep(&pause, NULL);
	} while (keep_now_ms() < until);
	return 1;
}

int freeze_box(void)
{
	long long began = keep_now_ms();
	int r;

	if (frozen)
		return -EBUSY;
	r = census_take(&before, NULL, 0);
	if (r < 0)
		return r;
	frozen = true; /* from here on who stops was stopped by us */
	r = stop_until(began + GENTLE_MS, true);
	/* In one go, children in the making included: also if nobody was seen to move, for one may have
	 * slipped by. */
	if (r >= 0) {
		kill(-1, SIGSTOP);
		r = stop_until(began + FREEZE_MS, false);
	}
	if (r == 0)
		return 0;
	thaw_box();
	return r < 0 ? r : -ETIMEDOUT;
}
