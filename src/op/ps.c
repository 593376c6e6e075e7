/* SPDX-License-Identifier: Apache-2.0 */
/* The operations that look at or act on live runs: `ps`, `kill`, `pause`, `resume`, `wait`. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/output.h"
#include "op/args.h"
#include "box/live_run.h"
#include "base/value.h"

#define OUTPUT_FIELDS                                                                                   \
	{ "stdout", "string", "with --output: the end of what the command wrote, if it is kept",        \
	  .model = true },                                                                              \
		{ "stderr", "string", "as stdout", .model = true },                                     \
		{ "truncated", "object",                                                                \
		  "with --output: bytes before that, and those the output limit took", .model = true }, \
		{ "truncated.stdout", "integer", "bytes", .model = true },                              \
	{                                                                                               \
		"truncated.stderr", "integer", "bytes", .model = true                                   \
	}

/* How long `kill` waits for the end it asked for: a supervisor that is not done by then has its
 * own reasons. */
#define GONE_MS 10000
/* How long to try again what a snapshot, or a start, is in the way of. */
#define AGAIN_MS 10000

static json_t *run_json(const struct live_run *r)
{
	const json_t *a = r->about;
	json_t *box = json_object_get(a, "box");

	return json_pack("{s:s, s:s, s:O?, s:O?, s:O?, s:f, s:O?, s:O?, s:b, s:i, s:O?}", "run", r->id,
			 "state", live_run_state(r), "box", box, "command", json_object_get(a, "command"),
			 "started_ms", json_object_get(a, "started_ms"), "wall_ms",
			 (double)r->status.wall_us / 1000, "detached", json_object_get(a, "detached"),
			 "profile", json_object_get(a, "profile"), "joined", (int)r->status.joined, "pid",
			 (int)r->status.pid, "trace_id", json_object_get(a, "trace_id"));
}

static int run_ps(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct live_run *runs = NULL;
	json_t *list;
	size_t n = 0;
	int r = live_runs_look(NULL, &runs, &n, e);

	(void)ctx;
	(void)args;
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, run_json(&runs[i]));
	live_runs_finish(runs, n);
	*ret_result = json_pack("{s:o}", "runs", list);
	return 0;
}

static const struct op_param no_params[] = { { .name = NULL } };
static const struct op_field ps_result[] = {
	{ "runs", "array", "oldest first" },
	{ "runs[].run", "string", "id" },
	{ "runs[].state", "string",
	  "starting, running, paused, ending (others that joined its box go on) or unresponsive" },
	{ "runs[].box", "string|null", "id of its box, null if that goes with the run" },
	{ "runs[].command", "string|null", "with its arguments" },
	{ "runs[].started_ms", "integer|null", "milliseconds since 1970" },
	{ "runs[].wall_ms", "number", "how long it has been running" },
	{ "runs[].detached", "boolean|null", "nobody waits for it" },
	{ "runs[].profile", "string|null", "what it may do" },
	{ "runs[].joined", "boolean", "it runs in the live box of another run" },
	{ "runs[].pid", "integer", "of its supervisor" },
	{ "runs[].trace_id", "string|null", "as in its result" },
	{ NULL, NULL, NULL },
};

const struct op op_ps = {
	.name = "ps",
	.group = GROUP_RUN,
	.view = VIEW_PS,
	.method = "run.ls",
	.summary = "List live runs",
	.about = "Lists the runs of this user that go on now, detached ones and others, oldest first. What "
		 "has ended is in\n"
		 "'aisbx history'. A run whose supervisor was killed is written there as interrupted.",
	.grant = GRANT_READ,
	.params = no_params,
	.result = ps_result,
	.run = run_ps,
};

/* "TERM", "SIGTERM", "15"; 0: there is none of that name. */
static int signal_number(const char *text)
{
	const char *name = !strncasecmp(text, "SIG", 3) ? text + 3 : text;
	uint64_t number;

	if (str_to_u64(text, &number))
		return number < NSIG ? (int)number : 0;
	for (int sig = 1; sig < NSIG; sig++)
		if (sigabbrev_np(sig) && !strcasecmp(sigabbrev_np(sig), name))
			return sig;
	return 0;
}

/* SIG 0: its end. One that ended meanwhile is what was wanted. */
static int kill_one(const char *id, int sig, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	int r = live_run_connect(id, &fd, e);

	if (r == 0)
		r = sig ? run_ask_signal(fd, sig, e) : run_ask_end(fd, e);
	if (r == -ESTALE || (r == -ENOENT && !e->code)) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = 0;
	}
	return r;
}

static json_t *ids_json(const struct strlist *ids)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ids->n; i++)
		json_array_append_new(list, json_string(ids->items[i]));
	return json_pack("{s:o}", "runs", list);
}

static int run_kill(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *text = json_string_value(json_object_get(args, "signal"));
	scoped(strlist_finish) struct strlist ids = { 0 };
	int sig = text ? signal_number(text) : 0, r;

	(void)ctx;
	if (text && !sig)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "there is no signal '%s'; say a name such as TERM, or a number", text);
	r = op_runs_reach(json_object_get(args, "runs"), &ids, e);
	for (size_t i = 0; r == 0 && i < ids.n; i++)
		r = kill_one(ids.items[i], sig, e);
	for (size_t i = 0; r == 0 && !sig && i < ids.n; i++) {
		struct aisbx_error late = AISBX_ERROR_INIT;

		live_run_await(ids.items[i], GONE_MS, &late);
	}
	if (r == 0)
		*ret_result = ids_json(&ids);
	return r;
}

static const struct op_param kill_params[] = {
	RUNS_PARAM(true, "ids of the runs; their beginnings are enough"),
	{ "signal", 's', OP_STRING, 0, "SIGNAL",
	  "pass this signal on to the command, which may do with it what it likes; default: end the run" },
	{ .name = NULL },
};
static const struct op_field ids_result[] = { { "runs", "array", "ids of the runs" }, { NULL, NULL, NULL } };

const struct op op_kill = {
	.name = "kill",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.method = "run.kill",
	.tool = "sandbox_kill",
	.brief = "End runs with every process they started. What they changed in a box stays.",
	.destroys = true,
	.summary = "End runs, or pass a signal on",
	.about = "Ends the runs with everything they started, and returns when they are gone; their results "
		 "say \"interrupted\".\n"
		 "With --signal only passes the signal on to the process group of the command. A box that "
		 "stays is not changed.",
	.example = "aisbx kill r-1f2e\n"
		   "aisbx kill --signal HUP r-1f2e",
	.grant = GRANT_RUN,
	.params = kill_params,
	.result = ids_result,
	.run = run_kill,
};

static int hold(const char *id, bool on, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	uint64_t until = time_ms() + AGAIN_MS;

	for (;;) {
		scoped(drop_fd) int fd = -1;
		int r = live_run_connect(id, &fd, e);

		if (r == 0)
			r = run_ask_pause(fd, on, e);
		if (r == -ESTALE || (r == -ENOENT && !e->code))
			return live_run_ended(id, e);
		if (r != -EAGAIN || time_ms() >= until)
			return r;
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		nanosleep(&pause, NULL);
	}
}

static int run_hold(const json_t *args, bool on, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist ids = { 0 };
	int r = op_runs_reach(json_object_get(args, "runs"), &ids, e);

	for (size_t i = 0; r == 0 && i < ids.n; i++)
		r = hold(ids.items[i], on, e);
	if (r == 0)
		*ret_result = ids_json(&ids);
	return r;
}

static int run_pause(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	(void)ctx;
	return run_hold(args, true, ret_result, e);
}

static int run_resume(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	(void)ctx;
	return run_hold(args, false, ret_result, e);
}

static const struct op_param runs_params[] = {
	RUNS_PARAM(true, "ids of the runs; their beginnings are enough"), { .name = NULL }
};

const struct op op_pause = {
	.name = "pause",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.method = "run.pause",
	.summary = "Stop every process of a run's box for a while",
	.about = "Stops every process in the box of the run, until 'aisbx resume'. The deadline goes on: a "
		 "run that is paused\n"
		 "when its time is up ends. Of several commands in one box all are paused, by the run that "
		 "was there first.",
	.example = "aisbx pause r-1f2e\n"
		   "aisbx resume r-1f2e",
	.grant = GRANT_RUN,
	.params = runs_params,
	.result = ids_result,
	.run = run_pause,
};

const struct op op_resume = {
	.name = "resume",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.method = "run.resume",
	.summary = "Let a paused run go on",
	.about = "Lets the processes that 'aisbx pause' has stopped go on.",
	.grant = GRANT_RUN,
	.params = runs_params,
	.result = ids_result,
	.run = run_resume,
};

/* How it ended, by the history; of one that left nothing there it is known only that it was killed. */
static int end_of(const char *id, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	struct store_run found = { 0 };
	json_t *kept = live_run_end(id);
	int r = kept ? 0 : box_shelf_open(&shelf, e);

	if (kept) {
		*ret_result = kept;
		return 0;
	}
	if (r == 0)
		r = store_run_find(shelf.store, id, &found, e);
	if (r < 0)
		return r;
	*ret_result = found.result ? json_loads(found.result, 0, NULL) : NULL;
	store_run_finish(&found);
	return *ret_result ? 0
			   : aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENODATA,
					  "the history does not tell how run '%s' ended", id);
}

static int run_wait(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	char id[STORE_ID_MAX];
	uint64_t timeout_ms = 0, output = 0;
	bool limited = value_ms(json_object_get(args, "timeout"), &timeout_ms);
	bool wants_output = value_size(json_object_get(args, "output"), &output);
	int r = live_run_find(json_string_value(json_object_get(args, "run")), id, e);

	if (r == 0)
		r = live_run_await(id, limited && !timeout_ms ? 1 : timeout_ms, e);
	if (r == 0) {
		r = end_of(id, ret_result, e);
	} else if (r == -ETIMEDOUT && wants_output) { /* what there is so far is an answer */
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		*ret_result = json_pack("{s:s, s:s, s:n, s:i}", "run", id, "status", "running", "exit_code",
					"exit_status", 125);
		r = 0;
	}
	if (r == 0 && wants_output)
		r = run_add_output(id, output, *ret_result, e);
	if (r == 0)
		ctx->exit_status = (int)json_integer_value(json_object_get(*ret_result, "exit_status"));
	return r;
}

static const struct op_param wait_params[] = {
	RUN_PARAM,
	{ "timeout", 0, OP_DURATION, OP_MODEL, "TIME", "give up after this long, with exit status 125" },
	{ "output", 0, OP_SIZE, 0, "SIZE",
	  "also the last SIZE bytes it has written to each stream, if its output is kept; also of one that "
	  "goes on after the timeout" },
	{ .name = NULL },
};
static const struct op_field wait_result[] = {
	{ "run", "string", "id", .model = true },
	{ "status", "string", "ok, failed, limit, denied, interrupted or error; with --output also running",
	  .model = true },
	{ "exit_code", "integer|null", "of the command", .model = true },
	{ "exit_status", "integer", "what aisbx run would have exited with" },
	{ "signal", "integer|null", "that ended the command", .model = true },
	OUTPUT_FIELDS,
	{ "error", "string|null", "why there is no other end", .model = true },
	{ NULL, NULL, NULL },
};

const struct op op_wait = {
	.name = "wait",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.method = "run.wait",
	.tool = "sandbox_wait",
	.brief = "Wait for a run that goes on (its status was \"running\", or it was started with detach) "
		 "and get its output and exit "
		 "code. Returns after 40 s at most: if it still runs, do something else or call again.",
	.summary = "Wait for the end of a run",
	.about = "Waits until the run has ended, and exits with its exit status: the command's own, 124 a "
		 "limit, 126 and 127 as a\n"
		 "shell, 128+N signal N. The result is that of the run, without output. Of one that has "
		 "ended before it is told\n"
		 "at once.",
	.example = "aisbx wait $(aisbx run --detach -- make test)",
	.grant = GRANT_READ,
	.params = wait_params,
	.result = wait_result,
	.run = run_wait,
};
