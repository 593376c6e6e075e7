/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools/call: an operation for a model. Its output is sent while it runs; a person is asked first if needed;
 * a call that takes longer than clients wait is answered before its end, as a task for clients that support
 * tasks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "server/core/json.h"
#include "server/mcp/envelope.h"
#include "server/mcp/fixtures.h"
#include "server/mcp/tools.h"

/* What comes close together is told together. */
#define TELL_EVERY_MS 100
/* Of one stream, in one telling; the result has more. */
#define TELL_MOST 4096
/* Who knows tasks gets one when it takes longer than this. */
#define TASK_AFTER_MS 2000

/* A tool on its way. It outlives its request when that was answered before the end. */
struct tool_run {
	struct mcp_job *job;
	struct tool_output out;
	struct buf untold[2];
	struct timer *timer;
	double told; /* how often */
};

static void free_run(void *own)
{
	struct tool_run *t = own;

	timer_end(&t->timer);
	tool_output_finish(&t->out);
	buf_finish(&t->untold[0]);
	buf_finish(&t->untold[1]);
	free(t);
}

static void tell_stream(struct tool_run *t, int which)
{
	struct mcp_request *r = t->job->request;
	struct buf *b = &t->untold[which];
	size_t whole = b->len - server_utf8_tail(b->data, b->len),
	       from = whole > TELL_MOST ? whole - TELL_MOST : 0;
	scoped(buf_finish) struct buf text = { 0 };

	if (!whole)
		return;
	while (from && from < whole && ((unsigned char)b->data[from] & 0xc0) == 0x80)
		from++;
	buf_add_utf8(&text, b->data + from, whole - from);
	memmove(b->data, b->data + whole, b->len - whole);
	b->len -= whole;
	if (!buf_str(&text))
		return;
	mcp_progress(r, ++t->told, 0, text.data);
	if (mcp_is_told(r, MCP_INFO))
		mcp_log(r, MCP_INFO,
			json_pack("{s:s, s:s, s:s}", "run", t->out.run, "stream", which ? "stderr" : "stdout",
				  "text", text.data));
}

static void tell(void *ctx)
{
	struct tool_run *t = ctx;

	for (int i = 0; i < 2 && t->job->request; i++)
		tell_stream(t, i);
}

static void on_output(struct mcp_job *j, int which, const char *data, size_t len)
{
	struct tool_run *t = j->own;
	struct mcp_request *r = j->request;

	tool_output_add(&t->out, which, data, len);
	if (!r || !(r->progress_token || r->level <= MCP_INFO))
		return;
	if (!t->untold[0].len && !t->untold[1].len)
		timer_set(t->timer, TELL_EVERY_MS);
	if (t->untold[which].len > 16 * TELL_MOST) /* only the end of it will be told */
		t->untold[which].len = 0;
	buf_add(&t->untold[which], data, len);
}

static void on_known(struct mcp_job *j, const char *run)
{
	struct tool_run *t = j->own;

	if (strlen(run) < sizeof(t->out.run))
		strcpy(t->out.run, run);
}

static void on_done(struct mcp_job *j, const json_t *result, const struct aisbx_error *e)
{
	struct tool_run *t = j->own;
	struct mcp_request *r = j->request;

	tell(t);
	mcp_reply_tool(r, j->op, result, &t->out, e);
}

/* A model is told what is wrong with its call; that there is no room now is for its client. */
static void fail_tool(struct mcp_request *r, const struct op *op, const struct aisbx_error *e)
{
	if (r->retry_ms)
		mcp_fail_error(r, MCP_INTERNAL, e);
	else
		mcp_reply_tool(r, op, NULL, NULL, e);
}

/* It has waited as long as clients do: it never runs. */
static void give_up(struct mcp_request *r, const struct op *op)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	mcp_job_drop(r->job);
	r->retry_ms = calls_retry_ms(r->session->calls);
	aisbx_refuse(&e, AISBX_KIND_LIMIT, AISBX_AREA_RUN, EDQUOT,
		     "it was not its turn in %llu s, and it did not start; try again in %u ms",
		     (unsigned long long)r->session->mcp->how.answer_within_ms / 1000, r->retry_ms);
	fail_tool(r, op, &e);
}

/* It takes long: whoever can do without the end is answered now. */
static void on_long(struct mcp_request *r)
{
	struct mcp_job *j = r->job;
	struct tool_run *t = j ? j->own : NULL;
	uint64_t within = r->session->mcp->how.answer_within_ms;

	if (!j)
		return;
	if (!r->task && mcp_can_tasks(r) && mcp_task_make(r))
		return;
	if (r->task)
		return;
	if (queued_is_waiting(j->call)) {
		give_up(r, j->op);
		return;
	}
	if (!t->out.run[0]) { /* no run that could be waited for */
		mcp_later(r, within, on_long);
		return;
	}
	t->out.running = true;
	mcp_reply_tool(r, j->op, NULL, &t->out, NULL);
}

static void start(struct mcp_request *r, const struct op *op, const json_t *args)
{
	static const struct mcp_job_events events = { .output = on_output,
						      .known = on_known,
						      .done = on_done };
	const uint64_t within = r->session->mcp->how.answer_within_ms;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct tool_run *t = calloc(1, sizeof(*t));

	if (!t || timer_add(r->session->mcp->loop, tell, t, &t->timer, &e) < 0) {
		free(t);
		mcp_fail(r, MCP_INTERNAL, NULL, "out of memory");
		return;
	}
	if (mcp_job_start(r->session, r, op, args, &events, t, free_run, &t->job, &e) < 0) {
		fail_tool(r, op, &e);
		return;
	}
	if (op->grant == GRANT_RUN && !r->task)
		mcp_later(r, mcp_can_tasks(r) && within > TASK_AFTER_MS ? TASK_AFTER_MS : within, on_long);
}

/* What is kept while a person is asked. */
struct approval {
	const struct op *op;
	json_t *args; /* owned */
};

static void free_approval(void *own)
{
	struct approval *a = own;

	json_decref(a->args);
	free(a);
}

static void on_approval(struct mcp_request *r, const json_t *answers)
{
	const struct approval *a = r->own;
	const json_t *answer = json_object_get(answers, "approval");
	const char *action = json_string_value(json_object_get(answer, "action"));
	struct aisbx_error e = { .code = -EACCES, .area = AISBX_AREA_POLICY, .kind = AISBX_KIND_DENIED };

	if (action && !strcmp(action, "accept") &&
	    json_is_true(json_object_get(json_object_get(answer, "content"), "approve"))) {
		start(r, a->op, a->args);
		return;
	}
	strcpy(e.text,
	       "the person was asked and did not approve; nothing was changed. Ask what they want instead");
	fail_tool(r, a->op, &e);
}

static void on_preview(struct mcp_job *j, const json_t *result, const struct aisbx_error *e)
{
	struct mcp_request *r = j->request;
	const struct approval *a = r->own;
	scoped(drop_mem) char *question = e ? NULL : tool_question(a->op, result);

	if (!question) { /* nothing to ask, or what is wrong is better told by the operation itself */
		start(r, a->op, a->args);
		return;
	}
	mcp_ask(r,
		json_pack("{s:{s:s, s:{s:s, s:{s:s, s:{s:{s:s, s:s}}, s:[s]}}}}", "approval", "method",
			  "elicitation/create", "params", "message", question, "requestedSchema", "type",
			  "object", "properties", "approve", "type", "boolean", "title", "Approve",
			  "required", "approve"),
		true, on_approval);
}

static void preview(struct mcp_request *r, const struct op *op, json_t *args, json_t *look)
{
	static const struct mcp_job_events events = { .done = on_preview };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct approval *a = calloc(1, sizeof(*a));

	if (!a) {
		mcp_fail(r, MCP_INTERNAL, NULL, "out of memory");
		return;
	}
	*a = (struct approval){ .op = op, .args = json_incref(args) };
	r->own = a;
	r->free_own = free_approval;
	if (mcp_job_start(r->session, r, op, look, &events, NULL, NULL, NULL, &e) < 0)
		fail_tool(r, op, &e);
}

static void call_op(struct mcp_request *r, const struct op *op)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *args = NULL, *look;

	if (tool_args(op, json_object_get(r->params, "arguments"), &args, &e) < 0) {
		fail_tool(r, op, &e);
		return;
	}
	if (mcp_pipeline_call(r, op, args)) { /* which asks in its own time */
		json_decref(args);
		return;
	}
	look = mcp_can(r, "elicitation") ? tool_preview(op, args) : NULL;
	if (look)
		preview(r, op, args, look);
	else
		start(r, op, args);
	json_decref(look);
	json_decref(args);
}

void mcp_tools_call(struct mcp_request *r)
{
	const struct mcp_how *how = &r->session->mcp->how;
	const char *name = json_string_value(json_object_get(r->params, "name"));
	const json_t *arguments = json_object_get(r->params, "arguments"),
		     *task = json_object_get(r->params, "task");
	struct aisbx_error e = AISBX_ERROR_INIT;
	const struct op *op;

	if (!name || (arguments && !json_is_object(arguments))) {
		mcp_fail(r, MCP_INVALID_PARAMS, NULL,
			 "tools/call needs 'name', a string, and optionally 'arguments', an object");
		return;
	}
	if (how->fixtures && mcp_fixture_call(r, name, arguments))
		return;
	op = tool_find(name, how->all_tools);
	if (!op) {
		tool_unknown(name, how->all_tools, &e);
		mcp_fail_error(r, MCP_INVALID_PARAMS, &e);
		return;
	}
	/* A client of 2025-11-25 asks for a task itself. */
	if (!r->modern && json_is_object(task) && !strcmp(r->version, MCP_LEGACY) && op->grant == GRANT_RUN)
		mcp_task_make(r);
	call_op(r, op);
}
