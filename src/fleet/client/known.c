/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that were submitted before: wait for one, cancel one, list them. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "fleet/agent/loop.h"
#include "fleet/agent/seal.h"
#include "fleet/client/client.h"
#include "fleet/client/job.h"
#include "fleet/client/show_result.h"

#define FAILED    125
#define LOOK_MS   200
#define ASK_MS    1000
#define CANCEL_MS 15000

static int one_id(char **rest, const char *verb, struct aisbx_error *e)
{
	if (rest[0] && !rest[1])
		return 0;
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "write 'aisbx fleet %s JOB'; 'aisbx fleet jobs' lists them", verb);
}

static int find(struct saved *table, const char *id, struct saved_job *ret, struct aisbx_error *e)
{
	int r = saved_job_find(table, id, ret, e);

	return r == -ENOENT ? aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
					   "there is no job '%.70s' that was submitted from here; 'aisbx "
					   "fleet jobs' lists them",
					   id)
			    : r;
}

/* Locks the job, after whoever follows it now; and reads it as it is then. */
static int lock_and_find(struct saved *table, const char *dir, const char *id, struct saved_job *ret,
			 int *ret_lock, struct aisbx_error *e)
{
	bool told = false;
	int r = find(table, id, ret, e);

	while (r == 0 && ret->saved.record.phase == FLEET_ABSENT &&
	       (r = client_job_lock(dir, ret->saved.job.id, ret_lock, e)) == -EBUSY) {
		if (!told)
			fprintf(stderr, "aisbx: another command follows job %s, and shows its output\n",
				ret->saved.job.id);
		told = true;
		poll(NULL, 0, LOOK_MS);
		saved_job_finish(ret);
		r = find(table, id, ret, e);
	}
	return r;
}

static int show_known(const struct job_options *o)
{
	const struct fleet_saved_job *known = &o->saved->saved;
	char box[FLEET_NAME] = "";
	struct aisbx_error e = AISBX_ERROR_INIT;
	const int r = client_project_bring(&o->project, &known->job, &known->record, box, &e);
	const int status =
		show_result(&known->job, &known->record, known->node, NULL, &o->common, false, box);

	client_project_tell(&o->project, &known->job, box, r, &e);
	return r < 0 ? FAILED : status;
}

int client_wait(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	scoped(saved_job_finish) struct saved_job job = { 0 };
	struct fleet_options fleet = *o;
	char dir[PATH_MAX];
	struct job_options options = { .fleet = o,
				       .common = { .json = o->json, .quiet = o->quiet },
				       .known = true,
				       .saved = &job,
				       .project = { .fleet = o, .dir = dir, .quiet = o->quiet || o->json } };
	int lock = -1, r = one_id(rest, "wait", e);

	if (r == 0)
		r = client_table_open(&options.table, dir, sizeof(dir), e);
	if (r == 0)
		r = lock_and_find(options.table, dir, rest[0], &job, &lock, e);
	if (r == 0 && job.saved.record.phase != FLEET_ABSENT && job.saved.record.phase != FLEET_UNKNOWN)
		r = show_known(&options);
	else if (r == 0) {
		loop_block_signals();
		fleet.tenant = job.saved.job.tenant;
		r = fleet_options_connect(&fleet, BUS_SUBMITTER, job.saved.job.submitter, 0, &options.bus, e);
		if (r == 0)
			r = job_follow(&options, e);
		if (r >= 0)
			client_learn(options.table, dir, job.saved.job.id);
	}
	client_job_unlock(dir, job.saved.job.id, lock);
	bus_close(options.bus);
	saved_close(options.table);
	return r;
}

/* The record of a job, as the engine has it; waits for the answer. False: none came. */
static bool read_record(struct bus *bus, const struct seals *seals, const struct fleet_job *job,
			uint64_t number, struct fleet_record *ret)
{
	struct fleet_ask ask = { .kind = FLEET_ASK_RECORD, .number = number };
	const uint64_t until = loop_now().ms + ASK_MS;
	struct bus_event event;
	bool found = false;

	snprintf(ask.id, sizeof(ask.id), "%s", job->id);
	snprintf(ask.tenant, sizeof(ask.tenant), "%s", job->tenant);
	bus_ask(bus, &ask);
	while (!found && loop_now().ms < until) {
		struct pollfd p = { .fd = bus_fd(bus), .events = POLLIN };

		poll(&p, 1, LOOK_MS);
		while (!found && bus_next(bus, &event)) {
			found = event.kind == BUS_ANSWER && event.answer.number == number &&
				(event.answer.kind == FLEET_NOT_THERE ||
				 (event.answer.kind == FLEET_OK &&
				  !seals_refuse_record(seals, job->tenant, job->id, &event.answer.record)));
			if (found)
				fleet_record_copy(&event.answer.record, ret);
			bus_event_finish(&event);
		}
	}
	return found;
}

static void send_cancel(struct bus *bus, const struct fleet_job *job)
{
	struct fleet_message m = { .kind = FLEET_MSG_CANCEL };

	snprintf(m.from, sizeof(m.from), "%s", job->submitter);
	snprintf(m.job, sizeof(m.job), "%s", job->id);
	snprintf(m.tenant, sizeof(m.tenant), "%s", job->tenant);
	bus_send(bus, &m);
}

/* Until its record is final. */
static int cancel(struct bus *bus, const struct seals *seals, const struct fleet_job *job, bool json,
		  struct aisbx_error *e)
{
	const uint64_t until = loop_now().ms + CANCEL_MS;

	for (uint64_t n = 1; loop_now().ms < until; n++) {
		scoped(fleet_record_finish) struct fleet_record record = { 0 };

		send_cancel(bus, job);
		poll(NULL, 0, LOOK_MS);
		if (!read_record(bus, seals, job, n, &record) || record.phase < FLEET_ENDED)
			continue;
		printf(json ? "{\"job\":\"%s\",\"phase\":\"%s\"}\n" : "%s %s\n", job->id,
		       fleet_phase_name(record.phase));
		return 0;
	}
	return aisbx_refuse(e, AISBX_KIND_TIMEOUT, AISBX_AREA_RUN, ETIMEDOUT,
			    "no hub has cancelled job %s yet; is one active? 'aisbx fleet status' says",
			    job->id);
}

int client_cancel(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	scoped(saved_job_finish) struct saved_job job = { 0 };
	struct fleet_options fleet = *o;
	struct saved *table = NULL;
	struct seals *seals = NULL;
	struct bus *bus = NULL;
	char dir[PATH_MAX], name[FLEET_NAME];
	int r = one_id(rest, "cancel", e);

	if (r == 0)
		r = client_table_open(&table, dir, sizeof(dir), e);
	if (r == 0)
		r = find(table, rest[0], &job, e);
	if (r == 0 && job.saved.record.phase != FLEET_ABSENT)
		r = aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
				 "job %s has ended; 'aisbx fleet wait %s' shows how", job.saved.job.id,
				 job.saved.job.id);
	if (r == 0)
		r = seals_open(o, BUS_SUBMITTER, &seals, e);
	if (r == 0) {
		fleet_options_fresh_name("c-", name);
		fleet.tenant = job.saved.job.tenant;
		r = fleet_options_connect(&fleet, BUS_SUBMITTER, name, 0, &bus, e);
	}
	if (r == 0)
		r = cancel(bus, seals, &job.saved.job, o->json, e);
	bus_close(bus);
	seals_close(seals);
	saved_close(table);
	return r;
}

struct listing {
	json_t *rows;
};

static void add_row(void *ctx, const struct saved_job *job)
{
	const struct fleet_job *j = &job->saved.job;
	json_t *body = json_loadb(fleet_text_data(j->body), fleet_text_len(j->body), 0, NULL);
	const bool ended = job->saved.record.phase != FLEET_ABSENT;
	const char *operation = json_string_value(json_object_get(body, "operation"));

	json_array_append_new(((struct listing *)ctx)->rows,
			      json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:I}", "id", j->id,
					"tenant", j->tenant, "class", j->class, "operation",
					operation ? operation : "", "phase",
					ended ? fleet_phase_name(job->saved.record.phase) : "open", "node",
					job->saved.record.node, "attempt", (int)job->saved.record.attempt,
					"since_ms", (json_int_t)job->since_wall_ms, "ended_ms",
					(json_int_t)job->ended_wall_ms));
	json_decref(body);
}

static void print_rows(const json_t *rows)
{
	const uint64_t now = loop_now().wall_ms;
	size_t i;
	const json_t *row;

	printf("%-24s %-10s %-12s %-10s %-12s %s\n", "JOB", "PHASE", "CLASS", "OPERATION", "NODE", "AGE");
	json_array_foreach(rows, i, row)
	{
		char age[32];

		printf("%-24s %-10s %-12s %-10s %-12s %s\n", json_string_value(json_object_get(row, "id")),
		       json_string_value(json_object_get(row, "phase")),
		       json_string_value(json_object_get(row, "class")),
		       json_string_value(json_object_get(row, "operation")),
		       json_string_value(json_object_get(row, "node")),
		       str_ms(now - (uint64_t)json_integer_value(json_object_get(row, "since_ms")), age,
			      sizeof(age)));
	}
}

int client_jobs(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	struct listing list = { .rows = json_array() };
	struct saved *table = NULL;
	char dir[PATH_MAX];
	int r = client_table_open(&table, dir, sizeof(dir), e);

	if (r == 0 && rest[0]) {
		scoped(saved_job_finish) struct saved_job job = { 0 };

		r = find(table, rest[0], &job, e);
		if (r == 0)
			add_row(&list, &job);
	} else if (r == 0)
		r = saved_jobs(table, add_row, &list, e);
	if (r == 0 && o->json) {
		json_dumpf(list.rows, stdout, JSON_COMPACT);
		fputc('\n', stdout);
	} else if (r == 0)
		print_rows(list.rows);
	json_decref(list.rows);
	saved_close(table);
	return r;
}
