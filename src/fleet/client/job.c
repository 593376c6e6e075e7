/* SPDX-License-Identifier: Apache-2.0 */
/* Drives one submitter with one job: its output is shown while it runs, and its result when it has come. */
#include "fleet/client/job.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/agent/loop.h"
#include "fleet/client/show_result.h"
#include "fleet/client/live.h"
#include "fleet/client/verify.h"
#include "fleet/client/why_waiting.h"
#include "fleet/core/submitter.h"

#define FAILED    125
#define CANCELLED 130
/* A job that has not begun by then: a person is told why. */
#define PATIENCE_MS 5000

struct following {
	const struct job_options *o;
	const struct fleet_job *job;
	struct fleet_submitter *submitter; /* owned, as all below */
	struct loop *loop;
	struct live *live;
	struct verify *verify;
	struct fleet_record record; /* phase ABSENT: not ended */
	uint64_t tell_ms;           /* when to say why it waits; UINT64_MAX: not any more */
	char node[FLEET_NAME];      /* that is known to have begun it */
	bool accepted, begun;
	int cancelled;
};

static void on_message(void *ctx, struct fleet_now now, const struct fleet_message *m,
		       struct fleet_actions *out)
{
	struct following *f = ctx;

	if (verify_message(f->verify, m))
		fleet_submitter_message(f->submitter, now, m, out);
}

static void on_answer(void *ctx, struct fleet_now now, const struct fleet_answer *a,
		      struct fleet_actions *out)
{
	struct following *f = ctx;
	scoped(fleet_answer_finish) struct fleet_answer verified = { 0 };

	verify_answer(f->verify, now, a, &verified);
	fleet_submitter_answer(f->submitter, now, &verified, out);
}

static bool is_quiet(const struct following *f)
{
	return f->o->common.quiet || f->o->common.json;
}

static void stop_if_done(struct following *f)
{
	if (f->record.phase != FLEET_ABSENT && (!f->live || live_is_done(f->live)))
		loop_stop(f->loop);
	if (f->o->detach && f->accepted)
		loop_stop(f->loop);
}

static void on_tick(void *ctx, struct fleet_now now, struct fleet_actions *out)
{
	struct following *f = ctx;

	if (fleet_submitter_next(f->submitter) <= now.ms)
		fleet_submitter_tick(f->submitter, now, out);
	if (f->live && live_next(f->live) <= now.ms)
		live_tick(f->live, now.ms);
	if (now.ms >= f->tell_ms) {
		f->tell_ms = UINT64_MAX;
		if (!f->begun && f->record.phase == FLEET_ABSENT && !f->o->common.quiet)
			why_waiting(f->o->bus, f->job, f->accepted);
	}
	stop_if_done(f);
}

static uint64_t on_next(void *ctx)
{
	struct following *f = ctx;
	uint64_t next = fleet_submitter_next(f->submitter), other = f->live ? live_next(f->live) : UINT64_MAX;

	next = other < next ? other : next;
	return f->tell_ms < next ? f->tell_ms : next;
}

static void take_end(struct following *f, const struct fleet_record *record)
{
	fleet_record_finish(&f->record);
	fleet_record_copy(record, &f->record);
	if (f->live)
		live_end(f->live, record->attempt, show_result_pieces(record));
}

static void on_sign(void *ctx, struct fleet_action *a)
{
	verify_sent(((struct following *)ctx)->verify, a);
}

static void on_perform(void *ctx, const struct fleet_action *a)
{
	struct following *f = ctx;

	if (a->kind == FLEET_TELL)
		take_end(f, &a->record);
	else if (a->kind == FLEET_ACCEPTED)
		f->accepted = true;
	else if (a->kind == FLEET_FULL_QUEUE && !is_quiet(f))
		fprintf(stderr,
			"aisbx: tenant '%s' has as many jobs waiting for '%s' as it may have; job %s is sent "
			"again in %llu ms\n",
			f->job->tenant, f->job->class, f->job->id, (unsigned long long)a->wait_ms);
	stop_if_done(f);
}

static void on_event(void *ctx, const struct bus_event *event)
{
	struct following *f = ctx;

	if (event->kind == BUS_DATA && f->live)
		live_data(f->live, event->data, event->len);
	else if (event->kind == BUS_DOWN && !is_quiet(f))
		fprintf(stderr, "aisbx: the connection to NATS is lost; waits until it is back\n");
	stop_if_done(f);
}

static void cancel(struct following *f)
{
	f->cancelled++;
	fleet_submitter_cancel(f->submitter, loop_now(), f->job->id, loop_actions(f->loop));
}

/* Once: the job is cancelled. Twice, or when the terminal is gone: it is left alone. */
static void on_signal(void *ctx, const struct signalfd_siginfo *info)
{
	struct following *f = ctx;

	if (info->ssi_signo == SIGCHLD)
		return;
	if (info->ssi_signo == SIGHUP || f->cancelled) {
		loop_stop(f->loop);
		return;
	}
	if (!f->o->common.quiet)
		fprintf(stderr, "aisbx: cancels job %s; again to leave it as it is\n", f->job->id);
	cancel(f);
}

static void on_begun(void *ctx, const char *node, unsigned attempt)
{
	struct following *f = ctx;

	(void)attempt;
	f->begun = true;
	snprintf(f->node, sizeof(f->node), "%s", node);
}

static void on_item(void *ctx, const json_t *item)
{
	struct following *f = ctx;

	if (f->o->op && !f->o->common.json)
		cli_render(f->o->op, &f->o->common, item);
	fflush(stdout);
}

static void on_failed(void *ctx, const char *why)
{
	struct following *f = ctx;

	if (why)
		fprintf(stderr, "aisbx: job %s is cancelled: %s\n", f->job->id, why);
	if (!f->cancelled)
		cancel(f);
}

static int start_live(struct following *f, struct aisbx_error *e)
{
	const struct live_options options = { .loop = f->loop,
					      .bus = f->o->bus,
					      .tenant = f->job->tenant,
					      .job = f->job->id,
					      .verify = f->verify,
					      .prints = !f->o->common.json,
					      .reads = f->o->reads,
					      .secrets = f->o->secrets,
					      .ctx = f,
					      .item = on_item,
					      .begun = on_begun,
					      .failed = on_failed };

	return f->o->detach ? 0 : live_create(&options, &f->live, e);
}

static int submit(struct following *f, struct aisbx_error *e)
{
	int r = start_live(f, e);

	if (r < 0)
		return r;
	if (f->o->known)
		fleet_submitter_restore(f->submitter, loop_now(), &f->o->saved->saved, loop_actions(f->loop));
	else
		fleet_submitter_submit(f->submitter, loop_now(), f->job, loop_actions(f->loop));
	f->tell_ms = loop_now().ms + PATIENCE_MS;
	return loop_run(f->loop, e);
}

static int finish(struct following *f)
{
	if (f->record.phase != FLEET_ABSENT) {
		char box[FLEET_NAME] = "";
		struct aisbx_error e = AISBX_ERROR_INIT;
		const int r = client_project_bring(&f->o->project, f->job, &f->record, box, &e);
		const int status = show_result(f->job, &f->record, f->node, f->o->op, &f->o->common,
					       f->live && live_has_output(f->live), box);

		client_project_tell(&f->o->project, f->job, box, r, &e);
		return r < 0 ? FAILED : status;
	}
	if (f->o->detach && f->accepted) {
		printf(f->o->common.json ? "{\"job\":\"%s\"}\n" : "%s\n", f->job->id);
		fflush(stdout);
		return 0;
	}
	fprintf(stderr,
		"aisbx: job %s goes on without this command; 'aisbx fleet wait %s' shows its result, 'aisbx "
		"fleet cancel %s' ends it\n",
		f->job->id, f->job->id, f->job->id);
	return CANCELLED;
}

int job_follow(const struct job_options *options, struct aisbx_error *e)
{
	struct following f = { .o = options, .job = &options->saved->saved.job };
	const struct loop_machine machine = { .ctx = &f,
					      .message = on_message,
					      .answer = on_answer,
					      .event = on_event,
					      .tick = on_tick,
					      .next = on_next,
					      .sign = on_sign,
					      .perform = on_perform,
					      .signal = on_signal };
	struct fleet_submitter_options submitter = FLEET_SUBMITTER_OPTIONS;
	int r = loop_create(options->bus, options->table, &machine, &f.loop, e);

	if (r < 0)
		return r;
	snprintf(submitter.name, sizeof(submitter.name), "%s", f.job->submitter);
	snprintf(f.node, sizeof(f.node), "%s", options->saved->saved.node);
	f.submitter = fleet_submitter_create(&submitter);
	r = verify_create(options->fleet, options->table, &options->saved->saved.job,
			  options->known ? &options->saved->saved : NULL, &f.verify, e);
	if (r == 0)
		r = submit(&f, e);
	if (r == 0 && options->ret_accepted)
		*options->ret_accepted = f.accepted || f.record.phase != FLEET_ABSENT;
	if (r == 0)
		r = finish(&f);
	live_destroy(f.live);
	fleet_submitter_destroy(f.submitter);
	loop_destroy(f.loop);
	fleet_record_finish(&f.record);
	verify_destroy(f.verify);
	return r;
}
