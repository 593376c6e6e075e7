/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs become calls of `aisbx rpc`, and their answers results. */
#include "fleet/agent/runner.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/agent/allowed.h"
#include "fleet/agent/asking.h"
#include "fleet/agent/carry.h"
#include "fleet/agent/output.h"
#include "fleet/agent/project_job.h"
#include "fleet/agent/result.h"
#include "fleet/agent/seal.h"
#include "fleet/agent/sealed_run.h"
#include "fleet/agent/tenant.h"
#include "fleet/core/memory.h"

/* A call that was cancelled and has not answered by then is killed with its tenant's server. */
#define KILL_MS 1500
/* How long what an ended job printed is kept for a reader that lacks some. */
#define LINGER_MS 30000
/* A tenant's server without calls ends after this. */
#define IDLE_MS 60000
#define LOOK_MS 1000
/* Before the id of a call: that of its input. No job's id begins so. */
#define INPUT_ID "<"
/* Of calls whose answer nobody waits for. */
#define ORDER_ID ">"

struct running {
	struct running *next;
	struct runner *runner; /* borrowed */
	struct fleet_job job;  /* owned */
	struct fleet_token token;
	struct tenant *tenant;       /* NULL: it has ended */
	struct project_job *project; /* owned; NULL: it brings none */
	struct asking *asking;       /* owned; not NULL: its command waits for secrets */
	char call[160];              /* id of the call */
	char operation[64];
	char trace[64]; /* the submitter's; "": it has none */
	bool reads, killed, held, feeding;
	uint64_t kill_by, ended_ms;
	uint64_t input; /* pieces that were taken; the next has this number and one */
	struct output out;
};

struct runner {
	struct runner_options o;
	struct running *running; /* owned */
	struct tenant *tenants;  /* owned */
	struct trees *trees;     /* owned */
	char boxes[48];          /* how names of boxes of jobs begin */
	uint64_t until_ms, look_ms;
};

static void tree_ready(void *ctx, const char *tenant, const char *tree, const char *why, bool is_bad)
{
	struct runner *r = ctx;

	for (struct running *j = r->running, *next; j; j = next) {
		next = j->next;
		if (j->project && !strcmp(j->job.tenant, tenant))
			project_job_ready(j->project, tree, why, is_bad);
	}
}

struct runner *runner_create(const struct runner_options *options)
{
	struct runner *r = fleet_new(sizeof(*r));

	r->o = *options;
	snprintf(r->boxes, sizeof(r->boxes), CARRY_BOX "%llx-", (unsigned long long)loop_now().wall_ms);
	r->trees = trees_create(&(struct trees_options){ .loop = options->loop,
							 .dir = options->dir,
							 .store = options->store,
							 .keys = options->keys,
							 .boxes = r->boxes,
							 .ctx = r,
							 .ready = tree_ready });
	return r;
}

static void drop(struct running *j)
{
	project_job_destroy(j->project);
	asking_destroy(j->asking);
	fleet_job_finish(&j->job);
	output_finish(&j->out);
	free(j);
}

void runner_destroy(struct runner *r)
{
	if (!r)
		return;
	for (struct tenant *t = r->tenants; t; t = *tenant_next(t))
		tenant_kill(t);
	while (r->tenants) {
		runner_child_ended(r);
		poll(NULL, 0, 5);
	}
	while (r->running) {
		struct running *j = r->running;

		r->running = j->next;
		drop(j);
	}
	trees_destroy(r->trees);
	free(r);
}

static struct running *find(struct runner *r, const char *job, const struct fleet_token *token)
{
	struct running *j = r->running;

	while (j && (strcmp(j->job.id, job) != 0 || (token && fleet_token_compare(j->token, *token) != 0)))
		j = j->next;
	return j;
}

static struct project_job *take_project(struct running *j)
{
	struct project_job *p = j->project;

	j->project = NULL;
	return p;
}

static void stop_asking(struct running *j)
{
	asking_destroy(j->asking);
	j->asking = NULL;
}

/* Only its submitter is to read it; where that gave a key which is none, there is nothing to read. */
static struct fleet_text *sealed_result(const struct running *j, struct fleet_text *result)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_text *sealed = seal_result(j->job.box, result);

	if (sealed || !result)
		return sealed;
	aisbx_refuse(&e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
		     "the job's result cannot be sealed: the key that came with the job is none");
	return result_of_error(j->operation, &e);
}

/* It stays in the list for a while: a reader may lack something. */
static void end(struct runner *r, struct running *j, struct fleet_text *result)
{
	project_job_destroy(take_project(j));
	stop_asking(j);
	j->tenant = NULL;
	j->ended_ms = loop_now().ms;
	result = sealed_result(j, result);
	r->o.ended(r->o.ctx, j->job.id, j->token, result);
	fleet_text_drop(result);
}

static void notify(struct running *j, const char *method, json_t *params)
{
	json_object_set_new(params, "id", json_string(j->call));
	tenant_send(j->tenant,
		    json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params));
}

static void hold(struct running *j)
{
	const bool full = j->tenant && output_is_full(&j->out, loop_now().ms);

	if (!j->tenant || full == j->held)
		return;
	j->held = full;
	notify(j, "rpc.hold", json_pack("{s:b}", "hold", full));
}

static struct running *find_call(struct runner *r, const struct tenant *t, const char *call)
{
	struct running *j = r->running;

	while (j && (j->tenant != t || strcmp(j->call, call) != 0))
		j = j->next;
	return j;
}

static void tell_input(struct runner *r, const struct running *j)
{
	char got[160];

	snprintf(got, sizeof(got), "{\"got\":%llu,\"attempt\":%u}", (unsigned long long)j->input,
		 j->out.attempt);
	output_send(&j->out, r->o.bus, got, strlen(got));
}

/* What a command does not read any more counts as taken; for what there is no room yet the submitter tries
 * again. */
static void input_taken(struct runner *r, struct running *j, const json_t *message)
{
	const json_t *data = json_object_get(json_object_get(message, "error"), "data");
	const char *kind = json_string_value(json_object_get(data, "kind"));

	j->feeding = false;
	if (kind && !strcmp(kind, "limit"))
		return;
	j->input++;
	tell_input(r, j);
}

static void on_said(void *ctx, struct tenant *t, const json_t *message)
{
	struct runner *r = ctx;
	const char *method = json_string_value(json_object_get(message, "method"));
	const json_t *params = json_object_get(message, "params");
	const char *id = json_string_value(json_object_get(method ? params : message, "id"));
	const bool input = id && id[0] == INPUT_ID[0];
	struct running *j = id ? find_call(r, t, id + (input ? 1 : 0)) : NULL;

	if (!j)
		return;
	*tenant_idle_since(t) = loop_now().ms;
	if (input)
		input_taken(r, j, message);
	else if (!method && j->project && !j->killed)
		project_job_said(j->project, message);
	else if (!method) /* the answer */
		end(r, j, j->killed ? NULL : result_of_answer(j->operation, message, &j->out));
	else if (!strcmp(method, "output")) {
		output_add(&j->out, r->o.bus, params);
		hold(j);
	} else if (!strcmp(method, "begun"))
		output_tell(&j->out, r->o.bus,
			    json_pack("{s:{s:O*, s:O*}}", "begun", "run", json_object_get(params, "run"),
				      "trace_id", json_object_get(params, "trace_id")));
	else if (!strcmp(method, "item"))
		output_tell(&j->out, r->o.bus, json_pack("{s:O}", "item", json_object_get(params, "item")));
}

static void on_gone(void *ctx, struct tenant *t)
{
	struct runner *r = ctx;
	struct tenant **at = &r->tenants;

	while (*at && *at != t)
		at = tenant_next(*at);
	if (*at)
		*at = *tenant_next(t);
	for (struct running *j = r->running, *next; j; j = next) {
		next = j->next;
		if (j->tenant == t)
			end(r, j, NULL);
	}
}

static int find_tenant(struct runner *r, const char *name, struct tenant **ret, struct aisbx_error *e)
{
	const struct tenant_listener listener = { .ctx = r, .said = on_said, .gone = on_gone };
	struct tenant *t = r->tenants;
	int got;

	while (t && (strcmp(tenant_name(t), name) != 0 || tenant_is_ending(t)))
		t = *tenant_next(t);
	if (!t) {
		got = tenant_open(r->o.loop, r->o.dir, name, r->until_ms, &listener, &t, e);
		if (got < 0)
			return got;
		*tenant_next(t) = r->tenants;
		r->tenants = t;
	}
	*tenant_idle_since(t) = loop_now().ms;
	*ret = t;
	return 0;
}

/* The body of a job; a new reference. NULL: it is none, as E says. */
static json_t *read_body(const struct runner *r, const struct fleet_job *job, const char **ret_method,
			 struct aisbx_error *e)
{
	json_t *body = json_loadb(fleet_text_data(job->body), fleet_text_len(job->body),
				  JSON_REJECT_DUPLICATES, NULL);
	const char *operation = json_string_value(json_object_get(body, "operation"));
	const json_t *arguments = json_object_get(body, "arguments");

	if (!operation || strlen(operation) > 60 || !json_is_object(arguments)) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			     "the job's body is not {\"operation\": NAME, \"arguments\": {...}}");
	} else if (allowed_check(operation, arguments, r->o.allow, ret_method, e) == 0)
		return body;
	json_decref(body);
	return NULL;
}

/* PARAMS: a reference to keep. */
static void send_call(struct running *j, const char *method, json_t *params, bool is_command)
{
	if (is_command) {
		json_object_set_new(params, "_stream", json_true());
		json_object_set_new(params, "_stdin", json_boolean(j->reads));
		if (j->trace[0]) /* aisbx checks it */
			json_object_set_new(params, "_trace", json_string(j->trace));
		output_tell(&j->out, j->runner->o.bus, json_pack("{s:b}", "begun", true));
	}
	json_object_set_new(params, "_cwd", json_string(tenant_work(j->tenant)));
	tenant_send(j->tenant, json_pack("{s:s, s:s, s:s, s:o}", "jsonrpc", "2.0", "id", j->call, "method",
					 method, "params", params));
}

static void give_back(void *ctx, const char *why)
{
	struct running *j = ctx;

	project_job_destroy(take_project(j));
	stop_asking(j);
	j->tenant = NULL; /* nothing of it is left, and nobody reads anything of it */
	j->runner->o.not_started(j->runner->o.ctx, j->job.id, j->token, why);
}

static void ask(struct running *j, const char *method, json_t *params)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (asking_begin(method, params, &j->out, loop_now().ms, &j->asking, &e) < 0)
		give_back(j, e.text);
	else
		asking_send(j->asking, &j->out, j->runner->o.bus);
}

/* PARAMS: a reference to keep. IS_COMMAND: what the job is about; else what it needs before that. */
static void call(void *ctx, const char *method, json_t *params, bool is_command)
{
	struct running *j = ctx;

	if (is_command && asking_is_needed(j->operation, params))
		ask(j, method, params);
	else
		send_call(j, method, params, is_command);
}

static void order(void *ctx, const char *method, json_t *params)
{
	struct running *j = ctx;
	char id[sizeof(j->call) + 1];
	json_t *message;

	snprintf(id, sizeof(id), ORDER_ID "%s", j->call);
	message = json_pack("{s:s, s:s, s:s, s:o}", "jsonrpc", "2.0", "id", id, "method", method, "params",
			    params);

	if (j->tenant && !tenant_is_ending(j->tenant))
		tenant_send(j->tenant, message);
	else
		json_decref(message);
}

static void project_ended(void *ctx, const json_t *answer, json_t *changes)
{
	struct running *j = ctx;
	json_t *whole = json_deep_copy(answer);

	if (changes)
		json_object_set(json_object_get(whole, "result"), "changes", changes);
	end(j->runner, j, result_of_answer(j->operation, whole, &j->out));
	json_decref(whole);
}

static void project_refused(void *ctx, const struct aisbx_error *e)
{
	struct running *j = ctx;

	end(j->runner, j, result_of_error(j->operation, e));
}

static void start(struct running *j, const char *method, const json_t *body)
{
	const json_t *arguments = json_object_get(body, "arguments"),
		     *said = json_object_get(body, "project");
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct project_wish wish;
	char box[80];
	const struct project_job_options options = { .trees = j->runner->trees,
						     .loop = j->runner->o.loop,
						     .dir = j->runner->o.dir,
						     .tenant = j->job.tenant,
						     .box = box,
						     .ctx = j,
						     .call = call,
						     .order = order,
						     .ended = project_ended,
						     .refused = project_refused,
						     .not_started = give_back };

	snprintf(box, sizeof(box), "%s%llx", j->runner->boxes, (unsigned long long)j->token.revision);
	if (!said)
		call(j, method, json_deep_copy(arguments), true);
	else if (project_wish_read(j->operation, said, arguments, &wish, &e) < 0)
		project_refused(j, &e);
	else if (project_job_start(&options, &wish, method, arguments, &j->project, &e) < 0)
		give_back(j, e.text);
}

void runner_start(struct runner *r, const struct fleet_job *job, struct fleet_token token, unsigned attempt,
		  struct sealed_run *sealed)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	const char *method, *trace;
	json_t *body = read_body(r, job, &method, &e);
	struct tenant *t = NULL;
	struct running *j;

	if (body && find_tenant(r, job->tenant, &t, &e) < 0) {
		json_decref(body);
		sealed_run_free(sealed);
		r->o.not_started(r->o.ctx, job->id, token, e.text);
		return;
	}
	j = fleet_new(sizeof(*j));
	j->runner = r;
	fleet_job_copy(job, &j->job);
	j->token = token;
	j->tenant = t;
	j->reads = json_is_true(json_object_get(body, "stdin"));
	snprintf(j->call, sizeof(j->call), "%s.%llx.%llx", job->id, (unsigned long long)token.epoch,
		 (unsigned long long)token.revision);
	snprintf(j->operation, sizeof(j->operation), "%s",
		 body ? json_string_value(json_object_get(body, "operation")) : "");
	trace = json_string_value(json_object_get(body, "trace"));
	if (trace && strlen(trace) < sizeof(j->trace))
		snprintf(j->trace, sizeof(j->trace), "%s", trace);
	output_init(&j->out, job->tenant, job->id, r->o.node, attempt);
	j->out.sealed = sealed;
	j->next = r->running;
	r->running = j;
	if (body)
		start(j, method, body);
	else
		end(r, j, result_of_error(j->operation, &e));
	json_decref(body);
}

void runner_kill(struct runner *r, const char *job, struct fleet_token token)
{
	struct running *j = find(r, job, &token);

	if (!j || !j->tenant || j->killed)
		return;
	if (j->asking || (j->project && !project_job_runs(j->project))) {
		end(r, j, NULL);
		return;
	}
	j->killed = true;
	j->kill_by = loop_now().ms + KILL_MS;
	notify(j, "rpc.cancel", json_object());
}

void runner_lease(struct runner *r, uint64_t until_ms)
{
	r->until_ms = until_ms;
	for (struct tenant *t = r->tenants; t; t = *tenant_next(t))
		tenant_lease(t, until_ms);
}

/* One piece of input at a time; what was taken is told, also again, for that may have been lost. */
static void take_input(struct runner *r, struct running *j, const json_t *said)
{
	const json_int_t n = json_integer_value(json_object_get(said, "stdin"));
	json_t *data = json_object_get(said, "data"), *encoding = json_object_get(said, "encoding"), *params;
	char id[sizeof(j->call) + 1];

	if (n < 1 || !j->reads || !j->tenant || j->asking || j->feeding ||
	    (j->project && !project_job_runs(j->project)))
		return;
	if ((uint64_t)n != j->input + 1) {
		tell_input(r, j);
		return;
	}
	j->feeding = true;
	snprintf(id, sizeof(id), INPUT_ID "%s", j->call);
	params = json_pack("{s:s, s:b}", "id", j->call, "eof", json_is_true(json_object_get(said, "eof")));
	if (json_is_string(data))
		json_object_set(params, "data", data);
	if (json_is_string(encoding))
		json_object_set(params, "encoding", encoding);
	tenant_send(j->tenant, json_pack("{s:s, s:s, s:s, s:o}", "jsonrpc", "2.0", "id", id, "method",
					 "rpc.stdin", "params", params));
}

/* Without its secrets nothing of it runs. */
static void take_secrets(struct runner *r, struct running *j, const json_t *said)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	const char *method = asking_method(j->asking);
	json_t *params = NULL;
	int got = asking_take(j->asking, said, &params, &e);

	if (got < 0)
		end(r, j, result_of_error(j->operation, &e));
	if (got <= 0)
		return;
	stop_asking(j);
	send_call(j, method, json_incref(params), true);
	asking_wipe(params);
}

static void cancel(struct runner *r, struct running *j)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (!j->asking) {
		notify(j, "rpc.cancel", json_object());
		return;
	}
	aisbx_refuse(&e, AISBX_KIND_CANCELLED, AISBX_AREA_RUN, ECANCELED, "the job was cancelled");
	end(r, j, result_of_error(j->operation, &e));
}

void runner_input(struct runner *r, const char *subject, const char *data, size_t len)
{
	const char *job = strrchr(subject, '.');
	const uint64_t now_ms = loop_now().ms;
	struct running *j = job ? find(r, job + 1, NULL) : NULL;
	scoped(buf_finish) struct buf opened = { 0 };
	char expected[SUBJECT_MAX];
	json_t *said, *n;

	if (!j)
		return;
	snprintf(expected, sizeof(expected), "aisbx.in.%s.%s.%s", r->o.node, j->job.tenant, j->job.id);
	if (strcmp(subject, expected) != 0)
		return;
	if (j->out.sealed && !sealed_run_read(j->out.sealed, data, len, &opened))
		return;
	said = json_loadb(j->out.sealed ? opened.data : data, j->out.sealed ? opened.len : len, 0, NULL);
	if ((n = json_object_get(said, "ack")))
		output_ack(&j->out, (uint64_t)json_integer_value(n), now_ms);
	if ((n = json_object_get(said, "from")))
		output_again(&j->out, r->o.bus, (uint64_t)json_integer_value(n), now_ms);
	if (json_object_get(said, "stdin"))
		take_input(r, j, said);
	if (j->asking)
		take_secrets(r, j, said);
	if (json_is_true(json_object_get(said, "cancel")) && j->tenant)
		cancel(r, j);
	json_decref(said);
	hold(j);
}

void runner_child_ended(struct runner *r)
{
	for (struct tenant *t = r->tenants, *next; t; t = next) {
		next = *tenant_next(t);
		tenant_reap(t);
	}
}

static bool is_busy(const struct runner *r, const struct tenant *t)
{
	for (const struct running *j = r->running; j; j = j->next)
		if (j->tenant == t)
			return true;
	return false;
}

static void ask_again(struct runner *r, struct running *j, uint64_t now_ms)
{
	if (asking_is_late(j->asking, now_ms))
		give_back(j, "the job needs secrets, and the command that submitted it has not answered the "
			     "question for them: it has ended, or its connection is lost");
	else
		asking_send(j->asking, &j->out, r->o.bus);
}

void runner_tick(struct runner *r, uint64_t now_ms)
{
	if (now_ms < r->look_ms)
		return;
	r->look_ms = now_ms + LOOK_MS;
	for (struct running **at = &r->running; *at;) {
		struct running *j = *at;

		if (j->tenant && j->killed && now_ms >= j->kill_by)
			tenant_kill(j->tenant);
		if (j->asking)
			ask_again(r, j, now_ms);
		hold(j);
		if (!j->tenant && (now_ms >= j->ended_ms + LINGER_MS || output_is_read(&j->out, now_ms))) {
			*at = j->next;
			drop(j);
		} else
			at = &j->next;
	}
	for (struct tenant *t = r->tenants; t; t = *tenant_next(t))
		if (now_ms >= *tenant_idle_since(t) + IDLE_MS && !is_busy(r, t))
			tenant_kill(t);
}

uint64_t runner_next(const struct runner *r)
{
	return r->running || r->tenants ? r->look_ms : UINT64_MAX;
}
