/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pipelines for a model: at a stage that waits for a person, the person is asked through the client, and the
 * answer is passed on as theirs. The model itself cannot approve, and if there are traps the client cannot
 * either.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/scope.h"
#include "server/mcp/envelope.h"
#include "server/mcp/tools.h"

/* Of a question: so that an answer is to the one stage of the one pipeline. */
#define KEY "approve-"

/* What is kept while a person is asked. */
struct waiting {
	char key[160];
	json_t *result; /* owned; of the pipeline that waits */
};

static void free_waiting(void *own)
{
	struct waiting *w = own;

	json_decref(w->result);
	free(w);
}

static const char *text(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	return s ? s : "";
}

static const json_t *waiting_stage(const json_t *result)
{
	const json_t *s;
	size_t i;

	json_array_foreach(json_object_get(result, "stages"), i,
			   s) if (!strcmp(text(s, "state"), "waiting")) return s;
	return NULL;
}

/* A client may answer by itself: what would run code later is for a person at a terminal, whatever the client
 * can. */
static bool is_for_client(const json_t *stage)
{
	return json_array_size(json_object_get(json_object_get(stage, "target"), "traps")) == 0;
}

/* Heap or NULL. */
static char *question(const json_t *result, const json_t *stage)
{
	scoped(buf_finish) struct buf out = { 0 };
	const json_t *target = json_object_get(stage, "target"), *item;
	const char *key;
	size_t i;

	buf_addf(&out, "Let the changes of box '%s' into stage '%s'?", text(result, "box"),
		 text(stage, "stage"));
	if (!strcmp(text(target, "kind"), "command"))
		buf_addf(&out, " This runs outside of any box: %s", text(target, "where"));
	else if (*text(target, "where"))
		buf_addf(&out, " They go into %s %s.", text(target, "kind"), text(target, "where"));
	json_object_foreach(json_object_get(target, "summary"), key, item) if (json_integer_value(item))
		buf_addf(&out, "\n%" JSON_INTEGER_FORMAT " %s", json_integer_value(item), key);
	json_array_foreach(json_object_get(json_object_get(stage, "before"), "checks"), i, item)
		buf_addf(&out, "\ngate %s: %s", text(item, "check"),
			 json_is_true(json_object_get(item, "passed")) ? "holds" : "does not hold");
	if (*text(stage, "why"))
		buf_addf(&out, "\n%s", text(stage, "why"));
	return buf_str(&out) ? take_mem(&out.data) : NULL;
}

static void start(struct mcp_request *r, const struct op *op, const json_t *args);

static void on_answer(struct mcp_request *r, const json_t *answers)
{
	const struct waiting *w = r->own;
	const json_t *answer = json_object_get(answers, w->key);
	const json_t *yes = json_object_get(json_object_get(answer, "content"), "approve");
	json_t *args;

	if (strcmp(text(answer, "action"), "accept") != 0 ||
	    !json_is_boolean(yes)) { /* they did not say; it goes on waiting */
		mcp_reply_tool(r, &op_pipeline_resume, w->result, NULL, NULL);
		return;
	}
	args = json_pack("{s:s, s:s, s:b}", "pipeline", text(w->result, "pipeline"), "snapshot",
			 text(w->result, "snapshot"), "reject", !json_is_true(yes));
	r->person = true;
	start(r, &op_approve, args);
	json_decref(args);
}

static void ask(struct mcp_request *r, const json_t *result, const json_t *stage)
{
	scoped(drop_mem) char *words = question(result, stage);
	struct waiting *w = calloc(1, sizeof(*w));

	if (!w || !words) {
		free(w);
		mcp_fail(r, MCP_INTERNAL, NULL, "out of memory");
		return;
	}
	snprintf(w->key, sizeof(w->key), KEY "%s-%s", text(result, "pipeline"), text(stage, "stage"));
	w->result = json_deep_copy(result);
	if (r->free_own)
		r->free_own(r->own);
	r->own = w;
	r->free_own = free_waiting;
	mcp_ask(r,
		json_pack("{s:{s:s, s:{s:s, s:{s:s, s:{s:{s:s, s:s}}, s:[s]}}}}", w->key, "method",
			  "elicitation/create", "params", "message", words, "requestedSchema", "type",
			  "object", "properties", "approve", "type", "boolean", "title", "Approve",
			  "required", "approve"),
		true, on_answer);
}

static void on_done(struct mcp_job *j, const json_t *result, const struct aisbx_error *e)
{
	struct mcp_request *r = j->request;
	const json_t *stage = e ? NULL : waiting_stage(result);

	if (stage && is_for_client(stage) && mcp_can(r, "elicitation"))
		ask(r, result, stage);
	else
		mcp_reply_tool(r, j->op, result, NULL, e);
}

static void start(struct mcp_request *r, const struct op *op, const json_t *args)
{
	static const struct mcp_job_events events = { .done = on_done };
	struct aisbx_error e = AISBX_ERROR_INIT;
	int err = mcp_job_start(r->session, r, op, args, &events, NULL, NULL, NULL, &e);

	r->person = false;
	if (err < 0 && r->retry_ms)
		mcp_fail_error(r, MCP_INTERNAL, &e);
	else if (err < 0)
		mcp_reply_tool(r, op, NULL, NULL, &e);
}

/* A client that asks anew with its answers means the pipeline that it was asked about, not another. */
static json_t *answered(const struct mcp_request *r)
{
	const char *key;
	json_t *answer;

	if (!r->answered)
		return NULL;
	json_object_foreach(r->answers, key,
			    answer) if (!strncmp(key, KEY "pipe-", sizeof(KEY "pipe-") - 1) &&
					strlen(key) >
						sizeof(KEY) + 20) return json_pack("{s:s%}", "pipeline",
										   key + sizeof(KEY) - 1,
										   (size_t)21);
	return NULL;
}

bool mcp_pipeline_call(struct mcp_request *r, const struct op *op, const json_t *args)
{
	json_t *same;

	if (op != &op_pipeline_run && op != &op_pipeline_resume)
		return false;
	same = op == &op_pipeline_run ? answered(r) : NULL;
	start(r, same ? &op_pipeline_resume : op, same ? same : args);
	json_decref(same);
	return true;
}
