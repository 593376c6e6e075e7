/* SPDX-License-Identifier: Apache-2.0 */
/* How a node writes the end of a job: over its own claim and nothing else, again and again until the engine
 * has it or somebody else was given the job. The one granted run of a job that may run once is the job: its
 * end is written over any claim. */
#include "fleet/core/node_part.h"

#include "fleet/core/planted.h"

#define WAIT_MS      200 /* before the second try; doubled for each further one */
#define WAIT_MOST_MS 30000

static void ask(struct fleet_node *n, struct fleet_now now, struct held *h, bool reading,
		struct fleet_actions *out)
{
	struct fleet_ask *a = &fleet_actions_add(out, FLEET_ASK)->ask;
	char name[FLEET_NAME];

	h->ask = ++n->last_ask;
	h->reading = reading;
	h->due = now.ms + n->options.ask_ms;
	fleet_table_put(n->asks, fleet_number_name(h->ask, name), h);
	a->kind = reading ? FLEET_ASK_RECORD : FLEET_ASK_PUT;
	a->number = h->ask;
	fleet_name_copy(a->id, h->job.id);
	fleet_name_copy(a->tenant, h->job.tenant);
	if (!reading) {
		a->expected = PLANTED(RESULT_UNCHECKED) ? FLEET_WHATEVER : h->expected;
		fleet_record_copy(&h->record, &a->record);
	}
}

static void stop_asking(struct fleet_node *n, struct held *h)
{
	char name[FLEET_NAME];

	if (h->ask)
		fleet_table_remove(n->asks, fleet_number_name(h->ask, name));
	h->ask = 0;
}

static void set_record(const struct fleet_node *n, struct held *h, enum fleet_phase phase,
		       struct fleet_text *result)
{
	h->state = HELD_WRITES;
	h->record.phase = phase;
	h->record.token = h->token;
	h->record.attempt = h->attempt;
	h->record.incarnation = n->options.incarnation;
	fleet_name_copy(h->record.node, n->options.name);
	memcpy(h->record.seal, h->seal, sizeof(h->record.seal));
	h->record.result = fleet_text_hold(result);
	h->expected = h->token.revision;
	h->wait = WAIT_MS;
}

void node_write_end(struct fleet_node *n, struct fleet_now now, struct held *h, enum fleet_phase phase,
		    struct fleet_text *result, struct fleet_actions *out)
{
	struct fleet_action *save;

	set_record(n, h, phase, result);
	save = fleet_actions_add(out, FLEET_SAVE_ENDED);
	fleet_job_copy(&h->job, &save->job);
	save->token = h->token;
	fleet_record_copy(&h->record, &save->record);
	ask(n, now, h, false, out);
}

void fleet_node_restore(struct fleet_node *n, struct fleet_now now, const struct fleet_job *job,
			const struct fleet_record *record, struct fleet_actions *out)
{
	struct held *h = node_add(n, job, HELD_WRITES);

	fleet_record_copy(record, &h->record);
	h->token = record->token;
	h->attempt = record->attempt;
	memcpy(h->seal, record->seal, sizeof(h->seal));
	/* Of such a job only the granted run is saved as ended or dead. */
	h->granted =
		job->effect == FLEET_ONCE && (record->phase == FLEET_ENDED || record->phase == FLEET_DEAD);
	h->expected = record->token.revision;
	h->wait = WAIT_MS;
	ask(n, now, h, false, out);
}

static void is_written(struct fleet_node *n, struct fleet_now now, struct held *h, bool ours,
		       struct fleet_actions *out)
{
	struct fleet_action *drop = fleet_actions_add(out, FLEET_DROP_ENDED);

	fleet_job_copy(&h->job, &drop->job);
	drop->token = h->token;
	if (ours)
		node_send(n, FLEET_MSG_ENDED, h->job.submitter, h, out, NULL);
	node_send(n, FLEET_MSG_ENDED, "", h, out, NULL);
	node_let_go(n, now, h);
}

static void try_later(struct fleet_now now, struct held *h)
{
	h->due = now.ms + h->wait;
	h->wait = h->wait * 2 < WAIT_MOST_MS ? h->wait * 2 : WAIT_MOST_MS;
}

/* Written over our claim, although no hub gave the job away since: who overwrites others' records can put
 * back what was there before. What may be done once is written late by the one granted run. */
static bool was_put_back(const struct held *h, const struct fleet_answer *a)
{
	const struct fleet_record *r = &a->record;

	return a->kind == FLEET_OK && h->job.effect != FLEET_ONCE && a->revision > h->token.revision &&
	       (r->token.epoch < h->token.epoch ||
		(r->token.epoch == h->token.epoch && r->attempt < h->attempt));
}

/* Something else than our claim is there. */
static void was_read(struct fleet_node *n, struct fleet_now now, struct held *h, const struct fleet_answer *a,
		     struct fleet_actions *out)
{
	const struct fleet_record *r = &a->record;
	/* The record of a claim is itself the revision of its token. */
	struct fleet_token token = { .epoch = r->token.epoch,
				     .revision =
					     r->phase == FLEET_CLAIMED ? a->revision : r->token.revision };
	bool same = a->kind == FLEET_OK && fleet_token_is(token, h->token);
	bool may_replace = h->granted && r->phase != FLEET_ENDED;

	if (a->forged || was_put_back(h, a)) {
		h->expected = a->revision;
		try_later(now, h);
	} else if (a->kind == FLEET_NOT_THERE) { /* the engine lost the claim: nobody else has the job */
		h->expected = 0;
		try_later(now, h);
	} else if (a->kind != FLEET_OK) {
		try_later(now, h);
	} else if (same && r->phase != FLEET_CLAIMED) {
		is_written(n, now, h, true, out); /* it was ours, and the answer was lost */
	} else if (same || may_replace) {
		h->expected = a->revision; /* the first if what was read is old */
		try_later(now, h);
	} else {
		is_written(n, now, h, false, out); /* somebody else has the job, or had it */
	}
}

void fleet_node_answer(struct fleet_node *n, struct fleet_now now, const struct fleet_answer *a,
		       struct fleet_actions *out)
{
	char name[FLEET_NAME];
	struct held *h = fleet_table_get(n->asks, fleet_number_name(a->number, name));
	bool reading;

	if (!h)
		return;
	reading = h->reading;
	stop_asking(n, h);
	if (reading)
		was_read(n, now, h, a, out);
	else if (a->kind == FLEET_OK)
		is_written(n, now, h, true, out);
	else if (a->kind == FLEET_CONFLICT)
		ask(n, now, h, true, out);
	else
		try_later(now, h);
}

void node_write_again(struct fleet_node *n, struct fleet_now now, struct held *h, struct fleet_actions *out)
{
	if (h->ask) { /* the answer will not come */
		stop_asking(n, h);
		try_later(now, h);
		return;
	}
	ask(n, now, h, false, out);
}
