/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as jobs: what server/core/call.h promises, in the place of children of the server. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fleet/agent/allowed.h"
#include "fleet/agent/result.h"
#include "fleet/client/client.h"
#include "fleet/client/home_node.h"
#include "fleet/client/forward.h"
#include "fleet/client/show_result.h"
#include "fleet/core/memory.h"
#include "fleet/core/names.h"

/* As `aisbx rpc` keeps of output that is not streamed. */
#define KEPT ((size_t)4 << 20)
/* As in on.c. */
#define LONGEST_BODY ((size_t)512 << 10)
/* A cancelled call: its node is asked again; the hub is asked; nobody is waited for any more. */
#define CANCEL_AGAIN_MS 500
#define CANCEL_HUB_MS   2500
#define CANCEL_GIVE_MS  30000
/* Behind its deadline the hub has ended what did not begin; if there is one. */
#define DEADLINE_MORE_MS 1000

struct call *forward_call_new(struct forwarder *f, const struct op *op, const json_t *arguments,
			      const struct call_events *events, void *ctx)
{
	struct call *c = fleet_new(sizeof(*c));

	*c = (struct call){ .f = f,
			    .op = op,
			    .events = *events,
			    .ctx = ctx,
			    .arguments = json_deep_copy(arguments),
			    .lock = -1,
			    .streams = events->output != NULL,
			    .since_ms = loop_now().ms,
			    .deadline_ms = UINT64_MAX,
			    .kept = { { .room = KEPT }, { .room = KEPT } },
			    .cancel_ms = UINT64_MAX,
			    .hub_ms = UINT64_MAX,
			    .give_up_ms = UINT64_MAX,
			    .next = f->calls };
	f->calls = c;
	return c;
}

void forward_call_free(struct call *c)
{
	struct call **at = &c->f->calls;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	for (struct call *part = c->f->calls; part; part = part->next)
		if (part->parent == c)
			part->parent = NULL;
	if (c->parent && --c->parent->parts == 0)
		c->parent->over = true;
	live_destroy(c->live);
	verify_destroy(c->verify);
	client_job_unlock(c->f->dir, c->job.id, c->lock);
	if (c->job.id[0])
		fleet_submitter_drop(c->f->submitter, c->job.id);
	fleet_job_finish(&c->job);
	fleet_record_finish(&c->record);
	kept_finish(&c->kept[0]);
	kept_finish(&c->kept[1]);
	json_decref(c->arguments);
	json_decref(c->result);
	free(c);
}

struct call *forward_call_of(const struct forwarder *f, const char *job)
{
	struct call *c = f->calls;

	while (c && strcmp(c->job.id, job) != 0)
		c = c->next;
	return c;
}

void forward_call_answer(struct call *c)
{
	if (c->answered)
		return;
	c->answered = true;
	c->events.done(c->ctx, c->result, c->result ? NULL : &c->why);
}

/* What the engine is asked for until there is nothing more to be had. */
static void end_job(struct call *c, bool at_once)
{
	const uint64_t now_ms = loop_now().ms;

	if (c->record.phase != FLEET_ABSENT || c->give_up_ms != UINT64_MAX)
		return;
	c->give_up_ms = now_ms + CANCEL_GIVE_MS;
	c->cancel_ms = now_ms;
	c->hub_ms = at_once || !live_node(c->live)[0] ? now_ms : now_ms + CANCEL_HUB_MS;
}

void forward_call_fail(struct call *c, const struct aisbx_error *why)
{
	c->why = *why;
	if (!c->answered)
		forward_wait_take(c);
	if (c->live)
		end_job(c, true);
	forward_call_answer(c);
}

/* ---- its live side ---- */

static void on_output(void *ctx, int fd, const char *data, size_t len)
{
	struct call *c = ctx;
	const int which = fd == 2;

	if (c->answered)
		return;
	c->told |= c->streams;
	if (c->streams)
		c->events.output(c->ctx, which, data, len);
	if (!c->streams || c->keeps)
		kept_add(&c->kept[which], data, len);
}

static void on_item(void *ctx, const json_t *item)
{
	struct call *c = ctx;

	c->told = true;
	if (!c->answered)
		c->events.item(c->ctx, item);
}

static void on_run(void *ctx, const char *run, const char *trace_id)
{
	struct call *c = ctx;

	snprintf(c->run, sizeof(c->run), "%s", run);
	snprintf(c->trace, sizeof(c->trace), "%s", trace_id);
	c->begun_wall_ms = loop_now().wall_ms;
	c->told |= c->streams;
	if (!c->answered)
		c->events.begun(c->ctx, run, trace_id);
}

/* Who was told what a lost attempt did must not take a second one for the same. */
static void on_begun(void *ctx, const char *node, unsigned attempt)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct call *c = ctx;

	kept_finish(&c->kept[0]);
	kept_finish(&c->kept[1]);
	if (c->told && attempt != c->attempt && !c->answered) {
		aisbx_refuse(&e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EHOSTDOWN,
			     "the node on which this ran was lost; on node %s it would begin again, and what "
			     "was told of "
			     "it so far would not be true; call again",
			     node);
		forward_call_fail(c, &e);
	}
	c->run[0] = '\0';
	c->attempt = attempt;
	if (c->cancelled)
		c->cancel_ms = loop_now().ms;
}

static void on_failed(void *ctx, const char *why)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	aisbx_refuse(&e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EHOSTDOWN, "%s", why ? why : "nobody reads");
	forward_call_fail(ctx, &e);
}

static int open_live(struct call *c, bool reads, struct aisbx_error *e)
{
	const struct live_options options = { .loop = c->f->loop,
					      .bus = c->f->bus,
					      .tenant = c->job.tenant,
					      .job = c->job.id,
					      .verify = c->verify,
					      .reads = reads,
					      .ctx = c,
					      .output = on_output,
					      .run = on_run,
					      .item = on_item,
					      .begun = on_begun,
					      .failed = on_failed };

	return live_create(&options, &c->live, e);
}

/* ---- start ---- */

static int make_body(struct call *c, const struct call_how *how, struct aisbx_error *e)
{
	json_t *body = json_pack("{s:s, s:O, s:b}", "operation", c->op->name, "arguments", c->arguments,
				 "stdin", how->input);
	char *text;

	if (how->trace_id)
		json_object_set_new(body, "trace", json_string(how->trace_id));
	text = json_dumps(body, JSON_COMPACT);
	json_decref(body);
	if (!text)
		fleet_out_of_memory();
	if (strlen(text) > LONGEST_BODY)
		aisbx_refuse(
			e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, EMSGSIZE,
			"the call has %zu bytes, and over a fleet %zu at most; give it as input, or in parts",
			strlen(text), LONGEST_BODY);
	else
		c->job.body = fleet_text_new(text, strlen(text));
	free(text);
	return c->job.body ? 0 : e->code;
}

int forward_call_send(struct call *c, const char *class, const struct call_how *how, struct aisbx_error *e)
{
	struct forwarder *f = c->f;
	int r = client_job_like(f->o, &c->job, e);

	if (r < 0)
		return r;
	fleet_name_copy(c->job.submitter, f->name);
	fleet_name_copy(c->job.class, class);
	if (c->job.deadline_wall_ms)
		c->deadline_ms =
			loop_now().ms + (c->job.deadline_wall_ms - loop_now().wall_ms) + DEADLINE_MORE_MS;
	r = make_body(c, how, e);
	if (r == 0)
		r = client_job_lock(f->dir, c->job.id, &c->lock, e);
	if (r == 0)
		r = verify_create(f->o, f->saved, &c->job, NULL, &c->verify, e);
	if (r == 0)
		r = open_live(c, how->input, e);
	if (r == 0)
		fleet_submitter_submit(f->submitter, loop_now(), &c->job, loop_actions(f->loop));
	return r;
}

static int find_class(struct call *c, char class[FLEET_NAME], struct aisbx_error *e)
{
	const char *node = forward_here_node(c->f, c->arguments);

	fleet_name_copy(class, c->f->class);
	if (node[0] && snprintf(class, FLEET_NAME, HOME_PREFIX "%s", node) < FLEET_NAME)
		return 0;
	return home_find(c->f->homes, c->f->o->tenant, c->op->name, c->arguments, class, e);
}

static int start(struct call *c, const struct call_how *how, struct aisbx_error *e)
{
	char class[FLEET_NAME];
	const char *method;
	int r;

	if (how->owner)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, EOPNOTSUPP,
				    "a fleet has tenants, and no owners: see --tenant");
	if (how->given || json_object_get(c->arguments, "secret"))
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, EOPNOTSUPP,
				    "a call takes no secrets to another machine; 'aisbx run --on' does");
	c->keeps = how->keep_output && c->f->face->keeps;
	r = forward_here_start(c, e);
	if (r != -EOPNOTSUPP)
		return r;
	r = client_give_variables(json_object_get(c->arguments, "env"), e);
	if (r == 0 && allowed_check(c->op->name, c->arguments, NULL, &method, e) < 0) {
		e->kind = AISBX_KIND_UNSUPPORTED;
		return e->code;
	}
	if (r == 0)
		r = find_class(c, class, e);
	return r == 0 ? forward_call_send(c, class, how, e) : r;
}

int call_start(struct loop *l, const struct op *op, const json_t *args, const struct call_how *how,
	       const struct call_events *events, void *ctx, struct call **ret_call, struct aisbx_error *e)
{
	struct call *c = forward_call_new(loop_context(l), op, args, events, ctx);
	int r = start(c, how, e);

	if (r < 0)
		forward_call_free(c);
	else
		*ret_call = c;
	return r;
}

/* ---- on its way ---- */

int call_input(struct call *c, const char *data, size_t len, struct aisbx_error *e)
{
	if (!c->live || live_feed(c->live, data, len, false) == 0)
		return 0;
	return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_RUN, ENOBUFS,
			    "the command has not read the input that it was sent before; try again later");
}

void call_close_input(struct call *c)
{
	if (c->live)
		live_feed(c->live, NULL, 0, true);
}

void call_cancel(struct call *c)
{
	if (c->cancelled || c->over)
		return;
	c->cancelled = true;
	for (struct call *part = c->f->calls; part; part = part->next)
		if (part->parent == c)
			call_cancel(part);
	forward_wait_cancel(c);
	if (c->live)
		end_job(c, false);
}

void call_hold(struct call *c, bool hold)
{
	if (c->live)
		live_hold(c->live, hold && !c->cancelled);
}

json_t *call_error_json(const struct aisbx_error *e)
{
	return result_error_json(e);
}

/* ---- in time ---- */

static void ask_to_end(struct call *c, uint64_t now_ms)
{
	if (c->record.phase != FLEET_ABSENT)
		return;
	if (now_ms >= c->cancel_ms) {
		if (live_node(c->live)[0])
			live_cancel(c->live);
		c->cancel_ms = now_ms + CANCEL_AGAIN_MS;
	}
	if (now_ms >= c->hub_ms) {
		fleet_submitter_cancel(c->f->submitter, loop_now(), c->job.id, loop_actions(c->f->loop));
		c->hub_ms = now_ms + CANCEL_AGAIN_MS; /* a hub takes only so many at once */
	}
}

static void give_up(struct call *c)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	aisbx_refuse(&e, AISBX_KIND_CANCELLED, AISBX_AREA_RUN, ECANCELED,
		     "job %s was cancelled, but neither its node nor a hub has said so; 'aisbx fleet wait "
		     "%s' tells its "
		     "end",
		     c->job.id, c->job.id);
	forward_call_fail(c, &e);
	forward_call_free(c);
}

static void be_late(struct call *c)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	c->deadline_ms = UINT64_MAX;
	if (live_node(c->live)[0] || c->answered)
		return;
	aisbx_refuse(&e, AISBX_KIND_TIMEOUT, AISBX_AREA_RUN, ETIMEDOUT,
		     "it has not begun within --deadline %s, and will not; 'aisbx fleet queue' and 'aisbx "
		     "fleet nodes' tell "
		     "why",
		     c->f->o->deadline);
	forward_call_fail(c, &e);
}

static void remember_ended(struct forwarder *f, const char *job)
{
	f->ended = fleet_grow(f->ended, &f->room_ended, f->n_ended + 1, sizeof(*f->ended));
	fleet_name_copy(f->ended[f->n_ended++], job);
}

static void tick(struct call *c, uint64_t now_ms)
{
	forward_wait_tick(c, now_ms);
	if (c->over && !c->live) {
		forward_call_answer(c);
		forward_call_free(c);
		return;
	}
	if (!c->live)
		return;
	if (live_next(c->live) <= now_ms)
		live_tick(c->live, now_ms);
	if (c->record.phase != FLEET_ABSENT && live_is_done(c->live)) {
		forward_end_take(c);
		forward_call_answer(c);
		remember_ended(c->f, c->job.id);
		forward_call_free(c);
		return;
	}
	ask_to_end(c, now_ms);
	if (now_ms >= c->deadline_ms)
		be_late(c);
	if (now_ms >= c->give_up_ms && c->record.phase == FLEET_ABSENT)
		give_up(c);
}

/* Answers may free others: parts of a call, never the next of the list. */
void forward_calls_tick(struct forwarder *f, uint64_t now_ms)
{
	for (struct call *c = f->calls, *next; c; c = next) {
		next = c->next;
		tick(c, now_ms);
	}
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t forward_calls_next(const struct forwarder *f)
{
	uint64_t next = UINT64_MAX;

	for (const struct call *c = f->calls; c; c = c->next) {
		if (c->over || (c->live && c->record.phase != FLEET_ABSENT && live_is_done(c->live)))
			return 0;
		if (c->waits)
			next = least(next, c->deadline_ms);
		if (!c->live)
			continue;
		next = least(next, least(live_next(c->live), c->deadline_ms));
		if (c->record.phase == FLEET_ABSENT)
			next = least(next, least(c->give_up_ms, least(c->cancel_ms, c->hub_ms)));
		else
			next = least(next, loop_now().ms +
						   500); /* what is missing of its output is given up then */
	}
	return next;
}
