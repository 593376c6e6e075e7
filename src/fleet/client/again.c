/* SPDX-License-Identifier: Apache-2.0 */
/* `aisbx fleet again`: a job that was given up is submitted as a new one, and only then its letter is taken
 * away. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "fleet/agent/loop.h"
#include "fleet/client/client.h"
#include "fleet/client/job.h"
#include "fleet/client/letters.h"

#define SUBMIT_MS 15000
#define LOOK_MS   200

static void drop_json(json_t **json)
{
	json_decref(*json);
}

static void drop_bus(struct bus **bus)
{
	bus_close(*bus);
}

/* "j-1" to "j-1-2", that to "j-1-3". The same letter always gives the same name: what is sent twice is one
 * job. */
static void next_name(const char *id, char ret[FLEET_NAME])
{
	const char *dash = strrchr(id, '-');
	char text[FLEET_NAME + 32];
	uint64_t n = 1;

	if (!dash || strlen(dash + 1) > 4 || !str_to_u64(dash + 1, &n) || n < 2 || dash[1] == '0') {
		dash = id + strlen(id);
		n = 1;
	}
	snprintf(text, sizeof(text), "%.*s-%llu", (int)(dash - id), id, (unsigned long long)(n + 1));
	if (strlen(text) < FLEET_NAME)
		memcpy(ret, text, strlen(text) + 1);
	else
		fleet_options_fresh_name(id, ret);
}

/* The same content under the next name. What was typed into it is not kept: it begins without. */
static int make_again(const struct fleet_options *o, const struct fleet_job *old, struct fleet_job *job,
		      struct aisbx_error *e)
{
	scoped(drop_json) json_t *body =
		json_loadb(fleet_text_data(old->body), fleet_text_len(old->body), 0, NULL);
	scoped(drop_mem) char *text = NULL;
	uint64_t deadline = 0;

	if (o->deadline && (!str_to_ms(o->deadline, &deadline) || !deadline))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--deadline must be a time, such as 10m, not '%.50s'", o->deadline);
	if (json_array_size(json_object_get(json_object_get(body, "arguments"), "secret")))
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, EOPNOTSUPP,
				    "job %s needs secrets, which are kept nowhere; run its command again "
				    "with --secret instead ('aisbx fleet dead %s' shows it)",
				    old->id, old->id);
	if (json_is_true(json_object_get(body, "stdin"))) {
		json_object_set_new(body, "stdin", json_false());
		text = json_dumps(body, JSON_COMPACT);
		if (!text)
			return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "write the job");
	}
	fleet_job_copy(old, job);
	if (text) {
		fleet_text_drop(job->body);
		job->body = fleet_text_new(text, strlen(text));
	}
	next_name(old->id, job->id);
	memcpy(job->submitter, job->id, sizeof(job->submitter));
	job->deadline_wall_ms = deadline ? loop_now().wall_ms + deadline : 0;
	return 0;
}

/* Keeps it in the table of this machine, as any job that is submitted from here. A job that may only be begun
 * once is followed: its submitter must be there. */
static int submit_here(const struct fleet_options *o, struct saved_job *job, bool *ret_accepted,
		       struct aisbx_error *e)
{
	scoped(saved_job_finish) struct saved_job known = { 0 };
	struct job_options options = { .fleet = o,
				       .common = { .json = o->json, .quiet = o->quiet },
				       .detach = job->saved.job.effect != FLEET_ONCE,
				       .saved = job,
				       .ret_accepted = ret_accepted };
	struct fleet_options fleet = *o;
	char dir[PATH_MAX];
	int lock = -1, r = client_table_open(&options.table, dir, sizeof(dir), e);

	if (r == 0 && saved_job_find(options.table, job->saved.job.id, &known, e) == 0 &&
	    !strcmp(known.saved.job.id, job->saved.job.id)) {
		options.known = true;
		options.saved = &known;
	}
	fleet.tenant = job->saved.job.tenant;
	if (r == 0)
		r = client_job_lock(dir, job->saved.job.id, &lock, e);
	if (r == -EBUSY)
		r = aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EBUSY, "another command sends job %s",
				 job->saved.job.id);
	if (r == 0)
		r = fleet_options_connect(&fleet, BUS_SUBMITTER, job->saved.job.submitter, 0, &options.bus,
					  e);
	if (r == 0)
		r = job_follow(&options, e);
	client_job_unlock(dir, job->saved.job.id, lock);
	bus_close(options.bus);
	saved_close(options.table);
	return r;
}

/* Puts it into the lane, in the name of the tenant, whom nobody tells: its record does. */
static int submit_as_admin(struct bus *bus, const struct fleet_options *o, const struct fleet_job *job,
			   bool *ret_accepted, struct aisbx_error *e)
{
	const uint64_t until = loop_now().ms + SUBMIT_MS;
	struct fleet_ask ask = { .kind = FLEET_ASK_SUBMIT, .number = 1, .job = *job };
	enum fleet_answer_kind kind = FLEET_FAILED;
	struct bus_event event;
	bool answered = false;

	if (job->effect == FLEET_ONCE)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
				    "job %s may begin once at most, and only while its submitter is there: "
				    "its tenant '%s' "
				    "can send it again, an admin cannot",
				    job->id, job->tenant);
	bus_ask(bus, &ask);
	while (!answered && loop_now().ms < until) {
		struct pollfd p = { .fd = bus_fd(bus), .events = POLLIN };

		poll(&p, 1, LOOK_MS);
		while (!answered && bus_next(bus, &event)) {
			answered = event.kind == BUS_ANSWER && event.answer.number == ask.number;
			kind = event.answer.kind;
			bus_event_finish(&event);
		}
	}
	*ret_accepted = answered && kind == FLEET_OK;
	if (!*ret_accepted)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EAGAIN, "send job %s: %s", job->id,
				    answered && kind == FLEET_FULL
					    ? "the lane of its tenant is full; wait until it has room"
					    : "NATS has not taken it; try again, which does no harm");
	printf(o->json ? "{\"job\":\"%s\"}\n" : "%s\n", job->id);
	return 0;
}

static int send_again(struct bus *bus, const struct fleet_options *o, const char *id, struct aisbx_error *e)
{
	scoped(wire_letter_finish) struct wire_letter letter = { 0 };
	scoped(saved_job_finish) struct saved_job job = { 0 };
	scoped(drop_json) json_t *rows = NULL;
	struct aisbx_error forgetting = AISBX_ERROR_INIT;
	const json_t *row = NULL;
	bool accepted = false;
	int r = letters_find(bus, o, id, &rows, &row, e);

	if (r == 0)
		r = letters_read(bus, row, &letter, e);
	if (r == 0)
		r = make_again(o, &letter.job, &job.saved.job, e);
	if (r == 0)
		r = o->all_tenants ? submit_as_admin(bus, o, &job.saved.job, &accepted, e)
				   : submit_here(o, &job, &accepted, e);
	fflush(stdout);
	if (accepted && letters_forget(bus, row, &forgetting) < 0)
		fprintf(stderr, "aisbx: job %s was sent again as %s, but its letter is still there: %s\n", id,
			job.saved.job.id, forgetting.text);
	return r;
}

int client_again(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	scoped(drop_bus) struct bus *bus = NULL;
	int r = 0;

	if (!rest[0])
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "write 'aisbx fleet again JOB...'; 'aisbx fleet dead' lists them");
	loop_block_signals();
	r = letters_connect(o, &bus, e);
	for (; r == 0 && *rest; rest++)
		r = send_again(bus, o, *rest, e);
	return r;
}
