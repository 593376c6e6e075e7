/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `stats`: what live runs use, once or again and again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "op/args.h"
#include "box/live_run.h"
#include "base/value.h"

#define DEFAULT_MS  1000
#define SHORTEST_MS 20
/* Between the two looks that a share of the processors needs. */
#define FIRST_MS 100

struct look {
	struct live_run *runs; /* owned */
	size_t n;
	uint64_t time_us;
};

static void look_finish(struct look *l)
{
	live_runs_finish(l->runs, l->n);
	*l = (struct look){ 0 };
}

static int look_now(const struct strlist *ids, struct look *ret, struct aisbx_error *e)
{
	ret->time_us = time_us();
	return live_runs_look(ids, &ret->runs, &ret->n, e);
}

static const struct live_run *same_run(const struct look *l, const char *id)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->runs[i].id, id))
			return &l->runs[i];
	return NULL;
}

/* Of one processor, since BEFORE; below 0: not known. */
static double percent(const struct live_run *now, const struct look *before, uint64_t time_us_now)
{
	const struct live_run *was = same_run(before, now->id);
	uint64_t a = was ? was->status.usage.cpu_us : 0, b = now->status.usage.cpu_us;

	if (!was || !was->answers || b < a || time_us_now <= before->time_us)
		return -1;
	return 100.0 * (double)(b - a) / (double)(time_us_now - before->time_us);
}

static json_t *number(bool known, uint64_t n)
{
	return known ? json_integer((json_int_t)n) : json_null();
}

static json_t *stats_json(const struct live_run *r, const struct look *before, uint64_t now_us)
{
	const struct run_status *s = &r->status;
	const struct run_usage *u = &s->usage;
	bool known = r->answers && !s->joined && s->state != RUN_STARTING;
	double share = known ? percent(r, before, now_us) : -1;

	return json_pack("{s:s, s:s, s:O?, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:I, s:I}}", "run",
			 r->id, "state", live_run_state(r), "command", json_object_get(r->about, "command"),
			 "wall_ms", (double)s->wall_us / 1000, "cpu_ms",
			 known ? json_real((double)u->cpu_us / 1000) : json_null(), "cpu_percent",
			 share >= 0 ? json_real(share) : json_null(), "mem", number(known, u->mem),
			 "mem_peak", number(known, u->mem_peak), "pids", number(known, u->pids), "pids_peak",
			 number(known, u->pids_peak), "disk", number(known, u->disk), "inodes",
			 number(known, u->inodes), "output", "stdout", (json_int_t)s->output[0], "stderr",
			 (json_int_t)s->output[1]);
}

static json_t *all_json(const struct look *now, const struct look *before)
{
	json_t *list = json_array();

	for (size_t i = 0; i < now->n; i++)
		json_array_append_new(list, stats_json(&now->runs[i], before, now->time_us));
	return json_pack("{s:I, s:o}", "time_ms", (json_int_t)box_now_ms(), "runs", list);
}

static void rest(uint64_t ms)
{
	const struct timespec t = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

/* Each look becomes the one before the next; the last one is the result. */
static int look_on(struct op_context *ctx, const struct strlist *ids, uint64_t pause_ms, bool again,
		   json_t **ret_result, struct aisbx_error *e)
{
	scoped(look_finish) struct look before = { 0 };
	int r = look_now(ids, &before, e);
	bool first = true;

	while (r == 0) {
		struct look now = { 0 };

		rest(first ? FIRST_MS : pause_ms);
		first = false;
		r = look_now(ids, &now, e);
		if (r < 0)
			break;
		json_decref(*ret_result);
		*ret_result = all_json(&now, &before);
		look_finish(&before);
		before = now;
		if (!again || (ids && !now.n) || !ctx->emit)
			break;
		ctx->emit(ctx, *ret_result);
	}
	return r;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const json_t *keys = json_object_get(args, "runs");
	scoped(strlist_finish) struct strlist ids = { 0 };
	uint64_t pause_ms = DEFAULT_MS;
	int r = op_runs_reach(keys, &ids, e);

	value_ms(json_object_get(args, "interval"), &pause_ms);
	if (r == 0 && pause_ms < SHORTEST_MS)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "looking more often than every %d ms tells nothing new", SHORTEST_MS);
	return r < 0 ? r
		     : look_on(ctx, keys ? &ids : NULL, pause_ms,
			       json_is_true(json_object_get(args, "follow")), ret_result, e);
}

static const struct op_param params[] = {
	RUNS_PARAM(false, "only these; default: all live runs"),
	{ "follow", 'f', OP_FLAG, 0, NULL,
	  "again and again, until the runs have ended; without RUN until it is interrupted" },
	{ "interval", 0, OP_DURATION, 0, "TIME", "how often, with --follow; default 1s" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "time_ms", "integer", "when this was, in milliseconds since 1970" },
	{ "runs", "array", "oldest first" },
	{ "runs[].run", "string", "id" },
	{ "runs[].state", "string", "as in ps" },
	{ "runs[].command", "string|null", "with its arguments" },
	{ "runs[].wall_ms", "number", "how long it has been running" },
	{ "runs[].cpu_ms", "number|null",
	  "processor time so far; null, as all below, where it runs in another's box" },
	{ "runs[].cpu_percent", "number|null", "of one processor, since the look before" },
	{ "runs[].mem", "integer|null", "bytes of memory now" },
	{ "runs[].mem_peak", "integer|null", "most bytes of memory so far" },
	{ "runs[].pids", "integer|null", "processes and threads now" },
	{ "runs[].pids_peak", "integer|null", "most of them so far" },
	{ "runs[].disk", "integer|null", "bytes written that are there now" },
	{ "runs[].inodes", "integer|null", "files, directories and links made that are there now" },
	{ "runs[].output", "object", "bytes written so far" },
	{ "runs[].output.stdout", "integer", "to standard output" },
	{ "runs[].output.stderr", "integer", "to standard error" },
	{ NULL, NULL, NULL },
};

const struct op op_stats = {
	.name = "stats",
	.group = GROUP_RUN,
	.view = VIEW_STATS,
	.method = "run.stats",
	.summary = "Show what live runs use",
	.about = "Shows processor time, memory, processes and disk of live runs. With --follow does so again "
		 "and again, which\n"
		 "with --json is one JSON text per line. The peaks of a run are kept in its record, see "
		 "'aisbx history'.",
	.example = "aisbx stats\n"
		   "aisbx stats --follow --interval 5s r-1f2e",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
