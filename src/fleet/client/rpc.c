/* SPDX-License-Identifier: Apache-2.0 */
/* `aisbx fleet rpc`: one client on standard input and output, one connection to the fleet, many jobs. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/agent/allowed.h"
#include "fleet/client/class.h"
#include "fleet/client/client.h"
#include "fleet/client/here.h"
#include "fleet/client/rpc_part.h"
#include "fleet/client/show_result.h"
#include "fleet/core/names.h"
#include "server/core/lines.h"

#define FAILED 125
/* Ended jobs leave the table together. */
#define FORGET_N 64

/* ---- the client ---- */

static void on_line(void *ctx, const char *text, size_t len)
{
	rpc_receive(((struct forwarder *)ctx)->rpc, text, len);
}

static void on_full(void *ctx, bool full)
{
	rpc_hold(((struct forwarder *)ctx)->rpc, full);
}

static void on_end(void *ctx, int why)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct forwarder *f = ctx;

	if (why == -E2BIG) {
		aisbx_refuse(&e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, E2BIG,
			     "a line is longer than %u bytes; the connection is closed", LINES_LONGEST);
		rpc_refuse(f->rpc, &e);
	}
	if (why < 0)
		f->status = FAILED;
	rpc_end(f->rpc);
}

static void on_gone(void *ctx)
{
	rpc_end(((struct forwarder *)ctx)->rpc);
}

static void on_send(void *ctx, const char *text, size_t len)
{
	stdio_send(((struct forwarder *)ctx)->stdio, text, len);
}

static void on_idle(void *ctx)
{
	((struct forwarder *)ctx)->idle = true;
}

/* Methods that can be called over a fleet, and which fleet it is. */
static int on_hello(void *ctx, const char *owner, json_t *result, struct aisbx_error *e)
{
	static const char *const here[] = { "run.ls", NULL };
	const struct forwarder *f = ctx;
	json_t *methods = json_array();

	if (owner) {
		json_decref(methods);
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, EOPNOTSUPP,
				    "a fleet has tenants, and no owners: see --tenant");
	}
	for (const struct allowed_operation *row = allowed_operations; row->name; row++)
		json_array_append_new(methods, json_string(row->method));
	for (size_t i = 0; here[i]; i++)
		json_array_append_new(methods, json_string(here[i]));
	json_object_set_new(result, "methods", methods);
	json_object_set_new(result, "fleet", json_pack("{s:s, s:s}", "on", f->class, "tenant", f->o->tenant));
	return 0;
}

/* ---- the fleet ---- */

static void on_message(void *ctx, struct fleet_now now, const struct fleet_message *m,
		       struct fleet_actions *out)
{
	struct forwarder *f = ctx;
	const struct call *c = rpc_call_of(f, m->job);

	if (!c || !c->verify || verify_message(c->verify, m))
		fleet_submitter_message(f->submitter, now, m, out);
}

static void on_answer(void *ctx, struct fleet_now now, const struct fleet_answer *a,
		      struct fleet_actions *out)
{
	scoped(fleet_answer_finish) struct fleet_answer verified = { 0 };
	struct forwarder *f = ctx;
	const struct call *c = rpc_call_of(f, a->id);

	if (c && c->verify)
		verify_answer(c->verify, now, a, &verified);
	fleet_submitter_answer(f->submitter, now, c && c->verify ? &verified : a, out);
}

static void on_event(void *ctx, const struct bus_event *event)
{
	struct forwarder *f = ctx;
	const char *job = strrchr(event->subject, '.');
	struct call *c;

	if (event->kind == BUS_DOWN)
		fprintf(stderr, "aisbx: the connection to NATS is lost; calls wait until it is back\n");
	if (event->kind != BUS_DATA || !job)
		return;
	if (!strcmp(event->subject, f->inbox)) {
		rpc_nodes_take(f, event->data, event->len);
		return;
	}
	c = rpc_call_of(f, job + 1);
	if (c && c->live)
		live_data(c->live, event->data, event->len);
}

static void on_sign(void *ctx, struct fleet_action *a)
{
	const struct call *c = a->kind == FLEET_SEND ? rpc_call_of(ctx, a->message.job) : NULL;

	if (c && c->verify)
		verify_sent(c->verify, a);
}

static void on_perform(void *ctx, const struct fleet_action *a)
{
	struct call *c = a->kind == FLEET_TELL ? rpc_call_of(ctx, a->job.id) : NULL;

	if (!c)
		return;
	fleet_record_finish(&c->record);
	fleet_record_copy(&a->record, &c->record);
	live_end(c->live, c->record.attempt, show_result_pieces(&c->record));
}

/* Nobody asks for them any more: they were answered. */
static void forget_ended(struct forwarder *f)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = f->n_ended ? saved_begin(f->saved, &e) : 0;

	for (size_t i = 0; i < f->n_ended && r == 0; i++)
		r = saved_drop(f->saved, f->ended[i], &e);
	if (r == 0 && f->n_ended)
		r = saved_commit(f->saved, &e);
	if (r < 0)
		fprintf(stderr, "aisbx: %s\n", e.text);
	f->n_ended = 0;
}

static void on_tick(void *ctx, struct fleet_now now, struct fleet_actions *out)
{
	struct forwarder *f = ctx;

	if (fleet_submitter_next(f->submitter) <= now.ms)
		fleet_submitter_tick(f->submitter, now, out);
	rpc_calls_tick(f, now.ms);
	rpc_nodes_tick(f, now.ms);
	if (f->n_ended >= FORGET_N)
		forget_ended(f);
	if (f->idle && !f->calls && stdio_is_flushed(f->stdio))
		loop_stop(f->loop);
}

static uint64_t on_next(void *ctx)
{
	const struct forwarder *f = ctx;
	uint64_t next = fleet_submitter_next(f->submitter), other = rpc_calls_next(f),
		 nodes = rpc_nodes_next(f);

	if (f->idle && !f->calls)
		return stdio_is_flushed(f->stdio) ? 0 : loop_now().ms + 50;
	next = other < next ? other : next;
	next = nodes < next ? nodes : next;
	return f->calls && next > loop_now().ms + 1000 ? loop_now().ms + 1000 : next;
}

/* Asked to end: calls are cancelled and answered first. Who asks again does not want to wait for that. */
static void on_signal(void *ctx, const struct signalfd_siginfo *info)
{
	struct forwarder *f = ctx;

	if (info->ssi_signo == SIGCHLD)
		return;
	if (f->status > 128)
		loop_stop(f->loop);
	f->status = 128 + (int)info->ssi_signo;
	rpc_end(f->rpc);
}

/* ---- begin and end ---- */

static int open_tables(struct forwarder *f, struct aisbx_error *e)
{
	int r = client_table_open(&f->saved, f->dir, sizeof(f->dir), e);

	return r == 0 ? homes_open(f->dir, &f->homes, e) : r;
}

static int open_loop(struct forwarder *f, struct aisbx_error *e)
{
	const struct loop_machine machine = { .ctx = f,
					      .message = on_message,
					      .answer = on_answer,
					      .event = on_event,
					      .tick = on_tick,
					      .next = on_next,
					      .sign = on_sign,
					      .perform = on_perform,
					      .signal = on_signal };
	struct fleet_submitter_options submitter = FLEET_SUBMITTER_OPTIONS;
	int r = loop_create(f->bus, f->saved, &machine, &f->loop, e);

	if (r < 0)
		return r;
	fleet_name_copy(submitter.name, f->name);
	f->submitter = fleet_submitter_create(&submitter);
	return rpc_nodes_open(f, e);
}

static int open_client(struct forwarder *f, struct aisbx_error *e)
{
	static const struct stdio_events events = { on_line, on_full, on_end, on_gone };
	const struct rpc_how how = { .loop = f->loop,
				     .cwd = "/",
				     .calls_in_all = &f->in_all,
				     .hello = on_hello,
				     .send = on_send,
				     .idle = on_idle,
				     .ctx = f };
	int r = rpc_new(&how, &f->rpc, e);

	if (r == 0)
		f->stdio = stdio_open(f->loop, &events, f);
	return r;
}

static int become_local(const char *why, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = { 0 };

	fprintf(stderr, "aisbx: %s; calls run on this machine\n", why);
	strlist_add(&words, "aisbx");
	strlist_add(&words, "rpc");
	return here_exec(&words, e);
}

static void finish(struct forwarder *f)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	while (f->calls)
		rpc_call_free(f->calls);
	if (f->saved)
		forget_ended(f);
	if (f->loop && loop_flush(f->loop, &e) < 0)
		fprintf(stderr, "aisbx: %s\n", e.text);
	stdio_close(f->stdio);
	rpc_destroy(f->rpc);
	if (f->submitter)
		fleet_submitter_destroy(f->submitter);
	loop_destroy(f->loop);
	bus_close(f->bus);
	homes_close(f->homes);
	saved_close(f->saved);
	free(f->ended);
}

int client_rpc(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	struct fleet_options options = *o;
	struct forwarder f = { .o = &options };
	struct fleet_job like = { 0 };
	char why[512] = "";
	int r;

	(void)rest;
	if (!options.on)
		options.on = FLEET_ANY;
	loop_block_signals();
	fleet_options_fresh_name("r-", f.name);
	r = client_job_like(&options, &like, e); /* what is wrong with them is said at once */
	fleet_name_copy(f.class, like.class);
	if (r == 0)
		r = here_connect(&options, f.name, &f.bus, why, sizeof(why), e);
	if (r == 0 && why[0])
		r = become_local(why, e);
	if (r == 0)
		r = open_tables(&f, e);
	if (r == 0)
		r = open_loop(&f, e);
	if (r == 0)
		r = open_client(&f, e);
	if (r == 0)
		r = loop_run(f.loop, e);
	finish(&f);
	return r < 0 ? r : f.status;
}
