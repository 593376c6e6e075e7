/* SPDX-License-Identifier: Apache-2.0 */
/* One client on standard input and output, one connection to the fleet, many jobs. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/client/class.h"
#include "fleet/client/client.h"
#include "fleet/client/here.h"
#include "fleet/client/forward.h"
#include "fleet/client/show_result.h"
#include "fleet/core/names.h"

#define FAILED 125
/* Ended jobs leave the table together. */
#define FORGET_N 64

/* ---- the client ---- */

static void on_line(void *ctx, const char *text, size_t len)
{
	struct forwarder *f = ctx;

	f->face->line(f, text, len);
}

static void on_full(void *ctx, bool full)
{
	struct forwarder *f = ctx;

	f->face->full(f, full);
}

static void on_end(void *ctx, int why)
{
	struct forwarder *f = ctx;

	if (why == -E2BIG)
		f->face->too_long(f);
	if (why < 0)
		f->status = FAILED;
	f->face->end(f);
}

static void on_gone(void *ctx)
{
	struct forwarder *f = ctx;

	f->face->end(f);
}

void forward_send(struct forwarder *f, const char *text, size_t len)
{
	stdio_send(f->stdio, text, len);
}

void forward_idle(struct forwarder *f)
{
	f->idle = true;
}

/* ---- the fleet ---- */

static void on_message(void *ctx, struct fleet_now now, const struct fleet_message *m,
		       struct fleet_actions *out)
{
	struct forwarder *f = ctx;
	const struct call *c = forward_call_of(f, m->job);

	if (!c || !c->verify || verify_message(c->verify, m))
		fleet_submitter_message(f->submitter, now, m, out);
}

static void on_answer(void *ctx, struct fleet_now now, const struct fleet_answer *a,
		      struct fleet_actions *out)
{
	scoped(fleet_answer_finish) struct fleet_answer verified = { 0 };
	struct forwarder *f = ctx;
	const struct call *c = forward_call_of(f, a->id);

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
		forward_nodes_take(f, event->data, event->len);
		return;
	}
	c = forward_call_of(f, job + 1);
	if (c && c->live)
		live_data(c->live, event->data, event->len);
}

static void on_sign(void *ctx, struct fleet_action *a)
{
	const struct call *c = a->kind == FLEET_SEND ? forward_call_of(ctx, a->message.job) : NULL;

	if (c && c->verify)
		verify_sent(c->verify, a);
}

static void on_perform(void *ctx, const struct fleet_action *a)
{
	struct call *c = a->kind == FLEET_TELL ? forward_call_of(ctx, a->job.id) : NULL;

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
	forward_timers_tick(f, now.ms);
	forward_calls_tick(f, now.ms);
	forward_nodes_tick(f, now.ms);
	if (f->n_ended >= FORGET_N)
		forget_ended(f);
	if (f->idle && !f->calls && stdio_is_flushed(f->stdio))
		loop_stop(f->loop);
}

static uint64_t on_next(void *ctx)
{
	const struct forwarder *f = ctx;
	uint64_t next = fleet_submitter_next(f->submitter), other = forward_calls_next(f),
		 nodes = forward_nodes_next(f), timers = forward_timers_next(f);

	if (f->idle && !f->calls)
		return stdio_is_flushed(f->stdio) ? 0 : loop_now().ms + 50;
	next = other < next ? other : next;
	next = nodes < next ? nodes : next;
	next = timers < next ? timers : next;
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
	f->face->end(f);
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
	return forward_nodes_open(f, e);
}

static int open_client(struct forwarder *f, struct aisbx_error *e)
{
	static const struct stdio_events events = { on_line, on_full, on_end, on_gone };
	int r = f->face->open(f, e);

	if (r == 0)
		f->stdio = stdio_open(f->loop, &events, f);
	return r;
}

static int become_local(const struct forwarder *f, const char *why, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = { 0 };

	fprintf(stderr, "aisbx: %s; calls run on this machine\n", why);
	strlist_add(&words, "aisbx");
	strlist_add(&words, f->face->command);
	if (f->o->tools) {
		strlist_add(&words, "--tools");
		strlist_add(&words, f->o->tools);
	}
	if (f->o->answer_within) {
		strlist_add(&words, "--answer-within");
		strlist_add(&words, f->o->answer_within);
	}
	return here_exec(&words, e);
}

static void finish(struct forwarder *f)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	while (f->calls)
		forward_call_free(f->calls);
	if (f->saved)
		forget_ended(f);
	if (f->loop && loop_flush(f->loop, &e) < 0)
		fprintf(stderr, "aisbx: %s\n", e.text);
	stdio_close(f->stdio);
	f->face->close(f);
	if (f->submitter)
		fleet_submitter_destroy(f->submitter);
	loop_destroy(f->loop);
	bus_close(f->bus);
	homes_close(f->homes);
	saved_close(f->saved);
	forward_wait_finish(f);
	free(f->ended);
}

int forward(const struct face *face, const struct fleet_options *o, struct aisbx_error *e)
{
	struct fleet_options options = *o;
	struct forwarder f = { .face = face, .o = &options };
	struct fleet_job like = { 0 };
	char why[512] = "";
	int r;

	if (!options.on)
		options.on = FLEET_ANY;
	loop_block_signals();
	fleet_options_fresh_name("r-", f.name);
	r = client_job_like(&options, &like, e); /* what is wrong with them is said at once */
	fleet_name_copy(f.class, like.class);
	if (r == 0)
		r = here_connect(&options, f.name, &f.bus, why, sizeof(why), e);
	if (r == 0 && why[0])
		r = become_local(&f, why, e);
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
