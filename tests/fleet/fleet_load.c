/* SPDX-License-Identifier: Apache-2.0 */
/* Submits many jobs of one tenant from one process, as `aisbx --on` submits one: with a table of its own,
 * which it takes up again when it was killed. tests/fleet/test_fleet_chaos.py and bench/fleet.py start it.
 * usage: fleet-load URL TENANT DIR JOBS PER_SECOND OPEN_AT_MOST ONCE_EVERY AGAIN_MS BODY
 * OPEN_AT_MOST jobs are under way at once; every ONCE_EVERY-th is to be done once at most (0: none); BODY is
 * of each job, with its id for "@JOB@". */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/agent/loop.h"
#include "fleet/core/submitter.h"

struct load {
	const char *tenant, *body;
	char name[FLEET_NAME]; /* of the submitter */
	unsigned jobs, open_at_most, once_every;
	double per_ms;
	unsigned submitted, ended;
	uint64_t began_ms;
	unsigned before; /* submitted when this process began */
	struct fleet_submitter *submitter;
	struct loop *loop;
};

static void on_message(void *ctx, struct fleet_now now, const struct fleet_message *m,
		       struct fleet_actions *out)
{
	fleet_submitter_message(((struct load *)ctx)->submitter, now, m, out);
}

static void on_answer(void *ctx, struct fleet_now now, const struct fleet_answer *a,
		      struct fleet_actions *out)
{
	fleet_submitter_answer(((struct load *)ctx)->submitter, now, a, out);
}

static struct fleet_text *make_body(const struct load *l, const char *id)
{
	char text[4096];
	const char *at = strstr(l->body, "@JOB@");
	int n;

	if (at)
		n = snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - l->body), l->body, id,
			     at + strlen("@JOB@"));
	else
		n = snprintf(text, sizeof(text), "%s", l->body);
	if (n < 0 || n >= (int)sizeof(text)) {
		fputs("fleet-load: the body is too long\n", stderr);
		exit(2);
	}
	return fleet_text_new(text, (size_t)n);
}

static void submit(struct load *l, struct fleet_now now, struct fleet_actions *out)
{
	struct fleet_job job = { .priority = 5, .attempts = 1000, .class = FLEET_ANY };
	const unsigned number = l->submitted++;

	snprintf(job.id, sizeof(job.id), "%.40s-%06u", l->tenant, number);
	snprintf(job.tenant, sizeof(job.tenant), "%s", l->tenant);
	snprintf(job.submitter, sizeof(job.submitter), "%s", l->name);
	if (l->once_every && number % l->once_every == 0) {
		job.effect = FLEET_ONCE;
		job.attempts = 1;
	}
	job.body = make_body(l, job.id);
	fleet_submitter_submit(l->submitter, now, &job, out);
	fleet_job_finish(&job);
}

/* When the next one may be submitted. */
static uint64_t next_submit(const struct load *l)
{
	if (l->submitted >= l->jobs || l->submitted - l->ended >= l->open_at_most)
		return UINT64_MAX;
	return l->began_ms + (uint64_t)((l->submitted - l->before) / l->per_ms);
}

static void on_tick(void *ctx, struct fleet_now now, struct fleet_actions *out)
{
	struct load *l = ctx;

	if (fleet_submitter_next(l->submitter) <= now.ms)
		fleet_submitter_tick(l->submitter, now, out);
	for (unsigned i = 0; i < 64 && next_submit(l) <= now.ms; i++)
		submit(l, now, out);
}

static uint64_t on_next(void *ctx)
{
	const struct load *l = ctx;
	const uint64_t next = fleet_submitter_next(l->submitter), other = next_submit(l);

	return other < next ? other : next;
}

static void on_perform(void *ctx, const struct fleet_action *a)
{
	struct load *l = ctx;

	if (a->kind != FLEET_TELL)
		return;
	l->ended++;
	fleet_submitter_drop(l->submitter, a->job.id);
	if (l->ended == l->jobs)
		loop_stop(l->loop);
}

static void on_signal(void *ctx, const struct signalfd_siginfo *info)
{
	if (info->ssi_signo != SIGCHLD)
		loop_stop(((struct load *)ctx)->loop);
}

static void take_up(void *ctx, const struct saved_job *job)
{
	struct load *l = ctx;

	l->submitted++;
	if (job->saved.record.phase != FLEET_ABSENT)
		l->ended++;
	else
		fleet_submitter_restore(l->submitter, loop_now(), &job->saved, loop_actions(l->loop));
}

static int run(struct load *l, struct bus *bus, struct saved *table, uint64_t again_ms, struct aisbx_error *e)
{
	const struct loop_machine machine = { .ctx = l,
					      .message = on_message,
					      .answer = on_answer,
					      .tick = on_tick,
					      .next = on_next,
					      .perform = on_perform,
					      .signal = on_signal };
	struct fleet_submitter_options options = FLEET_SUBMITTER_OPTIONS;
	int r = loop_create(bus, table, &machine, &l->loop, e);

	if (r < 0)
		return r;
	options.again_ms = again_ms;
	snprintf(options.name, sizeof(options.name), "%s", l->name);
	l->submitter = fleet_submitter_create(&options);
	r = saved_jobs(table, take_up, l, e);
	l->before = l->submitted;
	l->began_ms = loop_now().ms;
	if (r == 0 && l->ended < l->jobs)
		r = loop_run(l->loop, e);
	fleet_submitter_destroy(l->submitter);
	loop_destroy(l->loop);
	return r;
}

int main(int argc, char **argv)
{
	struct load l = { 0 };
	struct bus_options options = { .role = BUS_SUBMITTER, .connect_ms = 60000 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct saved *table = NULL;
	struct bus *bus = NULL;
	int r;

	if (argc != 10) {
		fputs("usage: fleet-load URL TENANT DIR JOBS PER_SECOND OPEN_AT_MOST ONCE_EVERY AGAIN_MS "
		      "BODY\n",
		      stderr);
		return 2;
	}
	loop_block_signals();
	l.tenant = options.tenant = argv[2];
	snprintf(l.name, sizeof(l.name), "load-%.50s", l.tenant);
	options.url = argv[1];
	options.name = l.name;
	l.jobs = (unsigned)atoi(argv[4]);
	l.per_ms = atof(argv[5]) / 1000;
	l.open_at_most = (unsigned)atoi(argv[6]);
	l.once_every = (unsigned)atoi(argv[7]);
	l.body = argv[9];
	r = saved_open(argv[3], "jobs.db", &table, &e);
	if (r == 0)
		r = bus_open(&options, &bus, &e);
	if (r == 0)
		r = run(&l, bus, table, strtoull(argv[8], NULL, 10), &e);
	bus_close(bus);
	saved_close(table);
	if (r < 0)
		fprintf(stderr, "fleet-load: %s\n", e.text);
	printf("{\"submitted\":%u,\"ended\":%u}\n", l.submitted, l.ended);
	return r < 0 ? 1 : l.ended == l.jobs ? 0 : 3;
}
