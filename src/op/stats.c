/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `stats`: resource usage of live runs, once or repeatedly. */
#include "base/scope.h"
#include "base/value.h"
#include "box/stats.h"
#include "op/args.h"

static json_t *number(bool known, uint64_t n)
{
	return known ? json_integer((json_int_t)n) : json_null();
}

static json_t *stats_json(const struct live_run *r, const struct run_look *before, uint64_t now_us)
{
	const struct run_status *s = &r->status;
	const struct run_usage *u = &s->usage;
	bool known = r->answers && !s->joined && s->state != RUN_STARTING && s->state != RUN_WAITING;
	double share = known ? run_look_percent(r, before, now_us) : -1;

	return json_pack("{s:s, s:O?, s:s, s:O?, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:I, s:I}}",
			 "run", r->id, "name", json_object_get(r->about, "name"), "state", live_run_state(r),
			 "command", json_object_get(r->about, "command"), "wall_ms",
			 (double)s->wall_us / 1000, "cpu_ms",
			 known ? json_real((double)u->cpu_us / 1000) : json_null(), "cpu_percent",
			 share >= 0 ? json_real(share) : json_null(), "mem", number(known, u->mem),
			 "mem_peak", number(known, u->mem_peak), "pids", number(known, u->pids), "pids_peak",
			 number(known, u->pids_peak), "disk", number(known, u->disk), "inodes",
			 number(known, u->inodes), "output", "stdout", (json_int_t)s->output[0], "stderr",
			 (json_int_t)s->output[1]);
}

struct telling {
	struct op_context *ctx;
	json_t *last; /* owned */
};

/* The last one is the result. */
static bool tell(void *data, const struct run_look *now, const struct run_look *before, bool more)
{
	struct telling *t = data;
	json_t *list = json_array();

	for (size_t i = 0; i < now->n; i++)
		json_array_append_new(list, stats_json(&now->runs[i], before, now->time_us));
	json_decref(t->last);
	t->last = json_pack("{s:I, s:o}", "time_ms", (json_int_t)box_now_ms(), "runs", list);
	if (!more || !t->ctx->emit)
		return false;
	t->ctx->emit(t->ctx, t->last);
	return true;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const json_t *keys = json_object_get(args, "runs");
	scoped(strlist_finish) struct strlist runs = { 0 };
	struct telling telling = { .ctx = ctx };
	struct run_stats_request req = { .runs = keys ? &runs : NULL,
					 .follow = op_flag(args, "follow"),
					 .interval_ms = 1000,
					 .tell = tell,
					 .ctx = &telling };
	int r;

	value_list(keys, &runs);
	value_ms(json_object_get(args, "interval"), &req.interval_ms);
	r = run_stats(&req, e);
	if (r == 0)
		*ret_result = telling.last;
	else
		json_decref(telling.last);
	return r;
}

static const struct op_param params[] = {
	RUNS_PARAM(false, "only these runs; default: all live runs"),
	{ "follow", 'f', OP_FLAG, 0, NULL,
	  "repeat until the runs have ended; without RUN until interrupted" },
	{ "interval", 0, OP_DURATION, 0, "TIME", "interval with --follow; default 1s" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "time_ms", "integer", "time of the measurement, in milliseconds since 1970" },
	{ "runs", "array", "oldest first" },
	{ "runs[].run", "string", "id" },
	{ "runs[].name", "string|null", "its name, if it has one" },
	{ "runs[].state", "string", "as in ps" },
	{ "runs[].command", "string|null", "command with arguments" },
	{ "runs[].wall_ms", "number", "time since its start" },
	{ "runs[].cpu_ms", "number|null",
	  "processor time so far; null, like all below, if it joined another run's box" },
	{ "runs[].cpu_percent", "number|null", "of one processor, since the previous measurement" },
	{ "runs[].mem", "integer|null", "current memory, bytes" },
	{ "runs[].mem_peak", "integer|null", "peak memory, bytes" },
	{ "runs[].pids", "integer|null", "current number of processes and threads" },
	{ "runs[].pids_peak", "integer|null", "peak number of processes and threads" },
	{ "runs[].disk", "integer|null", "bytes written that exist now" },
	{ "runs[].inodes", "integer|null", "files, directories and links made that exist now" },
	{ "runs[].output", "object", "bytes of output so far" },
	{ "runs[].output.stdout", "integer", "to standard output" },
	{ "runs[].output.stderr", "integer", "to standard error" },
	{ NULL, NULL, NULL },
};

const struct op op_stats = {
	.name = "stats",
	.group = GROUP_RUN,
	.view = VIEW_STATS,
	.method = "run.stats",
	.summary = "Show resource usage of live runs",
	.about = "Shows processor time, memory, processes and disk usage of live runs. With --follow it\n"
		 "repeats this, with --json as one JSON text per line. The peaks of a run are stored in\n"
		 "its result, see 'aisbx history'.",
	.example = "aisbx stats\n"
		   "aisbx stats --follow --interval 5s r-1f2e",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
