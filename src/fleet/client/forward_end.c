/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a job as the answer of a call. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fleet/client/home_node.h"
#include "fleet/client/forward.h"
#include "fleet/core/memory.h"

static const char *const names[] = { "stdout", "stderr" };

static int kind_of(const char *name)
{
	for (int kind = AISBX_KIND_USAGE; name && kind < AISBX_KIND_COUNT; kind++)
		if (!strcmp(aisbx_kind_name(kind), name))
			return kind;
	return AISBX_KIND_INTERNAL;
}

static int area_of(const char *name)
{
	for (int area = AISBX_AREA_USAGE; name && area < AISBX_AREA_COUNT; area++)
		if (!strcmp(aisbx_area_name(area), name))
			return area;
	return AISBX_AREA_RUN;
}

/* As the node says it. */
static void take_error(struct call *c, const json_t *error)
{
	const char *text = json_string_value(json_object_get(error, "text"));
	const json_int_t number = json_integer_value(json_object_get(error, "errno"));

	aisbx_refuse(&c->why, (enum aisbx_kind)kind_of(json_string_value(json_object_get(error, "kind"))),
		     area_of(json_string_value(json_object_get(error, "area"))),
		     number > 0 && number < 4096 ? (int)number : EIO, "%s",
		     text ? text : "the job failed, and its node does not say why");
}

/* It ended without a result of its own. */
static void take_end(struct call *c)
{
	const struct fleet_record *record = &c->record;
	const char *job = c->job.id;

	if (record->phase == FLEET_CANCELLED)
		aisbx_refuse(&c->why, AISBX_KIND_CANCELLED, AISBX_AREA_RUN, ECANCELED, "job %s was cancelled",
			     job);
	else if (record->phase == FLEET_DEAD && c->job.deadline_wall_ms &&
		 loop_now().wall_ms >= c->job.deadline_wall_ms)
		aisbx_refuse(&c->why, AISBX_KIND_TIMEOUT, AISBX_AREA_RUN, ETIMEDOUT,
			     "it has not begun within --deadline %s, and will not", c->f->o->deadline);
	else if (record->phase == FLEET_DEAD)
		aisbx_refuse(&c->why, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EHOSTDOWN,
			     "job %s was given up after %u attempts: its nodes were lost or could not start "
			     "it; 'aisbx fleet "
			     "nodes' lists them",
			     job, record->attempt);
	else if (record->phase == FLEET_UNKNOWN)
		aisbx_refuse(&c->why, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EHOSTDOWN,
			     "job %s may have run once%s%s, or not at all: its node was lost. Look what it "
			     "did before you "
			     "call again",
			     job, live_node(c->live)[0] ? " on node " : "", live_node(c->live));
	else
		aisbx_refuse(&c->why, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
			     "job %s ended, and its result cannot be read", job);
}

/* Bytes of a stream that a limit of the run took. */
static json_int_t cut_of(const json_t *whole, const char *stream)
{
	return json_integer_value(json_object_get(json_object_get(whole, "cut"), stream));
}

/* What came live, instead of the beginning of it that the result has. */
static void put_output(struct call *c, const json_t *whole)
{
	json_t *lacking = json_object();

	for (int i = 0; i < 2; i++) {
		struct buf text = { 0 };
		uint64_t missing = kept_text(&c->kept[i], &text);

		json_object_set_new(c->result, names[i], json_stringn(text.data ? text.data : "", text.len));
		json_object_set_new(lacking, names[i],
				    json_integer((json_int_t)missing + cut_of(whole, names[i])));
		buf_finish(&text);
	}
	json_object_set_new(c->result, "truncated", lacking);
}

/* Of a call that streams: what it printed, if nothing of it was seen. */
static void tell_head(struct call *c)
{
	for (int i = 0; i < 2; i++) {
		const json_t *text = json_object_get(c->result, names[i]);

		if (!c->answered && !live_has_output(c->live) && json_string_length(text))
			c->events.output(c->ctx, i, json_string_value(text), json_string_length(text));
	}
}

/* It was told already. */
static void take_output(struct call *c, const json_t *whole)
{
	for (int i = 0; i < 2; i++)
		json_object_set_new(c->result, names[i], json_string(""));
	if (live_has_output(c->live))
		json_object_set_new(c->result, "truncated",
				    json_pack("{s:I, s:I}", "stdout", cut_of(whole, "stdout"), "stderr",
					      cut_of(whole, "stderr")));
}

static void learn(struct call *c, const json_t *error)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (home_learn(c->f->homes, c->job.tenant, c->record.node, c->op->name, c->arguments, c->result,
		       json_string_value(json_object_get(error, "kind")), &e) < 0)
		fprintf(stderr, "aisbx: %s\n", e.text);
}

void forward_end_take(struct call *c)
{
	const struct fleet_text *text = c->record.phase == FLEET_ENDED ? c->record.result : NULL;
	json_t *whole = text ? json_loadb(fleet_text_data(text), fleet_text_len(text), 0, NULL) : NULL;
	json_t *result = json_object_get(whole, "result");
	const json_t *error = json_object_get(whole, "error");

	if (json_is_object(result))
		c->result = json_incref(result);
	else if (json_is_object(error))
		take_error(c, error);
	else
		take_end(c);
	if (c->result && json_object_get(c->result, "stdout")) {
		if (c->streams)
			tell_head(c);
		if (c->streams && !c->keeps)
			take_output(c, whole);
		else if (live_is_whole(c->live))
			put_output(c, whole);
	}
	if (!strcmp(c->op->method, "run.pause") || !strcmp(c->op->method, "run.resume"))
		forward_here_paused(c);
	learn(c, error);
	if (c->result)
		home_name(c->result, c->record.node);
	forward_wait_take(c);
	c->over = true;
	json_decref(whole);
}
