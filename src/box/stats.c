/* SPDX-License-Identifier: Apache-2.0 */
/* What live runs use, once or again and again. */
#include "box/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/control.h"

#define SHORTEST_MS 20
/* Between the two looks that a share of the processors needs. */
#define FIRST_MS 100

static void look_finish(struct run_look *l)
{
	live_runs_finish(l->runs, l->n);
	*l = (struct run_look){ 0 };
}

static int look_now(const struct strlist *ids, struct run_look *ret, struct aisbx_error *e)
{
	ret->time_us = time_us();
	return live_runs_look(ids, &ret->runs, &ret->n, e);
}

static const struct live_run *same_run(const struct run_look *l, const char *id)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->runs[i].id, id))
			return &l->runs[i];
	return NULL;
}

/* Of one processor, since BEFORE; below 0: not known. */
double run_look_percent(const struct live_run *now, const struct run_look *before, uint64_t time_us_now)
{
	const struct live_run *was = same_run(before, now->id);
	uint64_t a = was ? was->status.usage.cpu_us : 0, b = now->status.usage.cpu_us;

	if (!was || !was->answers || b < a || time_us_now <= before->time_us)
		return -1;
	return 100.0 * (double)(b - a) / (double)(time_us_now - before->time_us);
}

static void rest(uint64_t ms)
{
	const struct timespec t = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

/* Each look becomes the one before the next. */
static int look_on(const struct strlist *ids, const struct run_stats_request *req, struct aisbx_error *e)
{
	scoped(look_finish) struct run_look before = { 0 };
	int r = look_now(ids, &before, e);
	bool first = true, more = true;

	while (r == 0 && more) {
		struct run_look now = { 0 };

		rest(first ? FIRST_MS : req->interval_ms);
		first = false;
		r = look_now(ids, &now, e);
		if (r < 0)
			break;
		more = req->follow && !(ids && !now.n);
		more = req->tell(req->ctx, &now, &before, more);
		look_finish(&before);
		before = now;
	}
	return r;
}

int run_stats(const struct run_stats_request *req, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist ids = { 0 };
	int r = req->runs ? run_reach_all(req->runs, &ids, e) : 0;

	if (r == 0 && req->interval_ms < SHORTEST_MS)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "the interval must be at least %d ms", SHORTEST_MS);
	return r < 0 ? r : look_on(req->runs ? &ids : NULL, req, e);
}
