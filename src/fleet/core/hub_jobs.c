/* SPDX-License-Identifier: Apache-2.0 */
/* What a hub does with each job it has read: claim, offer, wait, begin again, give up. */
#include "fleet/core/hub_part.h"

#include <stdlib.h>

#include "fleet/core/memory.h"
#include "fleet/core/planted.h"

#define TRY_MS      50 /* before a record is read or written again; doubled each time */
#define TRY_MOST_MS 5000
#define ENDED_MS    30000 /* an ended job is remembered so long: an old read may show it again */

struct hub_job *hub_job_find(struct fleet_hub *hub, const char *tenant, const char *id)
{
	char key[FLEET_KEY];

	return fleet_table_get(hub->jobs, fleet_key(tenant, id, key));
}

static void is_read(struct fleet_hub *hub, struct hub_job *job)
{
	if (job->unread)
		hub->cancels--;
	job->unread = false;
}

static void drop_places(struct hub_job *job)
{
	struct hub_place *p;

	while ((p = job->places)) {
		job->places = p->next;
		free(p);
	}
}

void hub_job_free(struct fleet_hub *hub, struct hub_job *job)
{
	char key[FLEET_KEY];

	hub_unassign(hub, job, false);
	if (job->entry.lane)
		fleet_queue_remove(hub->queue, &job->entry);
	is_read(hub, job);
	drop_places(job);
	fleet_table_remove(hub->jobs, fleet_key(job->job.tenant, job->job.id, key));
	fleet_job_finish(&job->job);
	free(job);
}

static void leave_queue(struct fleet_hub *hub, struct hub_job *job)
{
	if (job->entry.lane)
		fleet_queue_remove(hub->queue, &job->entry);
}

static void wait_in_queue(struct fleet_hub *hub, struct hub_job *job)
{
	leave_queue(hub, job);
	hub_unassign(hub, job, false);
	job->state = JOB_WAITS;
	job->entry.priority = job->job.priority;
	job->entry.place = job->places ? job->places->place : 0;
	fleet_queue_add(hub->queue, job->job.class, job->job.tenant, &job->entry);
}

static void wait_until(struct fleet_hub *hub, struct hub_job *job, uint64_t ms)
{
	leave_queue(hub, job);
	hub_unassign(hub, job, false);
	job->state = JOB_LATER;
	job->due = ms;
}

static void forget_places(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
			  struct fleet_actions *out)
{
	for (struct hub_place *p = job->places; p; p = p->next) {
		struct fleet_ask *a = hub_ask(hub, now, FLEET_ASK_FORGET, NULL, NULL, out);

		fleet_name_copy(a->tenant, job->job.tenant);
		fleet_name_copy(a->class, job->job.class);
		a->place = p->place;
	}
	drop_places(job);
}

/* Its record is final. */
static void finish(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
		   struct fleet_actions *out)
{
	leave_queue(hub, job);
	hub_unassign(hub, job, false);
	is_read(hub, job);
	job->state = JOB_ENDED;
	job->due = now.ms + ENDED_MS;
	forget_places(hub, now, job, out);
}

static void read_record(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
			struct fleet_actions *out)
{
	leave_queue(hub, job);
	job->state = JOB_READS;
	hub_ask(hub, now, FLEET_ASK_RECORD, job, NULL, out);
}

static struct hub_job *add(struct fleet_hub *hub, struct fleet_now now, const struct fleet_job *job)
{
	struct hub_job *j = fleet_new(sizeof(*j));
	char key[FLEET_KEY];

	fleet_job_copy(job, &j->job);
	j->again = TRY_MS;
	j->since = now.ms;
	j->counts = true;
	fleet_table_put(hub->jobs, fleet_key(job->tenant, job->id, key), j);
	return j;
}

static bool has_place(const struct hub_job *job, uint64_t place)
{
	for (const struct hub_place *p = job->places; p; p = p->next)
		if (p->place == place)
			return true;
	return false;
}

void hub_job_add(struct fleet_hub *hub, struct fleet_now now, const struct fleet_placed_job *placed,
		 struct fleet_actions *out)
{
	struct hub_job *job = hub_job_find(hub, placed->job.tenant, placed->job.id);
	bool is_new = !job;
	struct hub_place *p;

	if (job && has_place(job, placed->place))
		return;
	if (is_new)
		job = add(hub, now, &placed->job);
	p = fleet_new(sizeof(*p));
	p->place = placed->place;
	p->next = job->places;
	if (job->unread) {
		is_read(hub, job);
		fleet_job_finish(&job->job);
		fleet_job_copy(&placed->job, &job->job);
	}
	job->places = p;
	if (is_new)
		wait_in_queue(hub, job);
	else if (job->state == JOB_ENDED)
		forget_places(hub, now, job, out);
}

/* Writes a record of the hub's own: the job is over. */
static void write_final(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
			enum fleet_phase phase, const char *reason, struct fleet_actions *out)
{
	struct fleet_ask *a;

	leave_queue(hub, job);
	job->state = JOB_FINISHES;
	job->final = phase;
	job->reason = reason;
	a = hub_ask(hub, now, FLEET_ASK_PUT, job, NULL, out);
	a->expected = job->revision;
	a->record.phase = phase;
	a->record.token = (struct fleet_token){ .epoch = hub->epoch, .revision = job->revision };
	a->record.attempt = job->attempt;
	fleet_name_copy(a->record.node, job->node);
	a->record.result = fleet_text_new(reason, strlen(reason));
}

static void bury(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, struct fleet_actions *out)
{
	struct fleet_ask *a = hub_ask(hub, now, FLEET_ASK_BURY, NULL, NULL, out);

	fleet_name_copy(a->id, job->job.id);
	fleet_name_copy(a->tenant, job->job.tenant);
	fleet_name_copy(a->class, job->job.class);
	fleet_job_copy(&job->job, &a->job);
	a->record.phase = job->final;
	a->record.attempt = job->attempt;
	a->record.result = fleet_text_new(job->reason, strlen(job->reason));
}

/* Whether it may not be begun any more; then its end is written. */
static bool is_over(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
		    struct fleet_actions *out)
{
	unsigned attempt = job->attempt + (job->counts || !job->attempt);

	if (job->job.effect == FLEET_ONCE && job->attempt)
		return false; /* it may have run: its submitter knows */
	if (job->cancelled)
		write_final(hub, now, job, FLEET_CANCELLED, "it was cancelled before it began", out);
	else if (job->job.effect != FLEET_ONCE && attempt > job->job.attempts)
		write_final(hub, now, job, FLEET_DEAD, "its attempts are used up", out);
	else if (job->job.deadline_wall_ms && now.wall_ms > job->job.deadline_wall_ms)
		write_final(hub, now, job, FLEET_DEAD, "its deadline is over", out);
	else
		return false;
	return true;
}

void hub_job_claim(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, struct hub_node *node,
		   struct fleet_actions *out)
{
	struct fleet_ask *a;

	if (is_over(hub, now, job, out)) {
		fleet_queue_released(hub->queue, job->job.tenant);
		return;
	}
	hub_assign(hub, job, node);
	job->state = JOB_CLAIMS;
	job->offered = false;
	job->incarnation = node->incarnation;
	hub->claims++;
	a = hub_ask(hub, now, FLEET_ASK_PUT, job, NULL, out);
	a->expected = PLANTED(CLAIM_UNCHECKED) ? FLEET_WHATEVER : job->revision;
	a->record.phase = FLEET_CLAIMED;
	a->record.token.epoch = hub->epoch;
	a->record.attempt = job->attempt + (job->counts || !job->attempt);
	a->record.incarnation = node->incarnation;
	fleet_name_copy(a->record.node, node->name);
	if (PLANTED(FORGETS_EARLY))
		forget_places(hub, now, job, out);
}

static void offer(struct fleet_hub *hub, struct hub_job *job, const struct hub_node *node,
		  struct fleet_actions *out)
{
	struct fleet_message *m = &fleet_actions_add(out, FLEET_SEND)->message;

	job->offered = true;
	job->offer_sent_ms = node->sent_ms;
	m->kind = FLEET_MSG_OFFER;
	fleet_name_copy(m->from, hub->options.name);
	fleet_name_copy(m->to, node->name);
	fleet_name_copy(m->job, job->job.id);
	fleet_name_copy(m->tenant, job->job.tenant);
	m->incarnation = node->incarnation;
	m->number = node->beat;
	m->token = job->token;
	m->attempt = job->attempt;
	fleet_job_copy(&job->job, &m->offered);
}

static bool is_recent(const struct fleet_hub *hub, uint64_t revision)
{
	for (size_t i = 0; i < HUB_RECENT; i++)
		if (hub->recent[i] == revision)
			return true;
	return false;
}

static void was_claimed(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
			const struct hub_asked *asked, uint64_t revision, struct fleet_actions *out)
{
	const struct hub_node *node = fleet_table_get(hub->nodes, job->node);
	bool went_back = revision <= asked->top || is_recent(hub, revision);

	job->attempt += job->counts || !job->attempt;
	job->counts = false;
	job->revision = revision;
	job->token = (struct fleet_token){ .epoch = asked->epoch, .revision = revision };
	job->since_claim = now.ms;
	if (revision > hub->top)
		hub->top = revision;
	hub->recent[hub->n_recent++ % HUB_RECENT] = revision;
	if (went_back)
		hub_begin_again(
			hub,
			hub->epoch); /* the engine lost records: this revision may have been given before */
	/* Nobody was told of this claim: it can be made again at once. */
	if ((went_back && !PLANTED(EPOCH_REUSED)) || asked->epoch != hub->epoch || !hub_may_claim(hub, now) ||
	    !node || node->incarnation != job->incarnation || now.ms >= node->heard + hub->options.lease_ms) {
		wait_in_queue(hub, job);
		return;
	}
	job->again = TRY_MS;
	job->told_ended = false;
	job->state = JOB_HELD;
	job->beat_seen = 0;
	offer(hub, job, node, out);
	if (job->cancelled)
		job->due = now.ms;
}

/* Its record is a claim. */
static void found_claim(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
			const struct fleet_record *r, uint64_t revision)
{
	struct hub_node *node = fleet_table_get(hub->nodes, r->node);
	bool never_told = r->token.epoch == hub->epoch && !(job->offered && job->revision == revision);

	hub_unassign(hub, job, false);
	if (job->revision != revision)
		job->offered = false; /* that was another claim, to another node */
	job->revision = revision;
	job->token = (struct fleet_token){ .epoch = r->token.epoch, .revision = revision };
	job->attempt = r->attempt;
	job->counts = !never_told;
	if (job->told_ended && job->again < TRY_MOST_MS) {
		wait_until(hub, job, now.ms + job->again);
		job->reread = true;
		return;
	}
	if (never_told) { /* a claim of ours whose answer was lost */
		wait_until(hub, job, now.ms + job->again);
		return;
	}
	job->state = JOB_FOUND;
	job->incarnation = r->incarnation;
	fleet_name_copy(job->node, r->node);
	job->since_claim = now.ms;
	job->beat_seen = 0;
	if (!node)
		return;
	hub_assign(hub, job, node);
	node->room++; /* its beats count it already */
	fleet_queue_held(hub->queue, job->job.tenant);
}

/* The record of a job that is not known to be held. */
static void was_read(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
		     const struct fleet_answer *a, struct fleet_actions *out)
{
	if (a->kind == FLEET_OK && a->revision > hub->top)
		hub->top = a->revision;
	if (a->kind == FLEET_OK && a->record.phase != FLEET_CLAIMED) {
		finish(hub, now, job, out);
		return;
	}
	if (a->kind == FLEET_OK) {
		/* Another hub is active, or was, with an epoch above this one's: a claim of ours would be an
		 * older one. */
		if (a->record.token.epoch > hub->epoch)
			hub_begin_again(hub, a->record.token.epoch);
		found_claim(hub, now, job, &a->record, a->revision);
	} else {
		job->reread = a->kind != FLEET_NOT_THERE;
		if (!job->reread)
			job->revision = 0;
		wait_until(hub, job, now.ms + job->again);
	}
	job->again = job->again * 2 < TRY_MOST_MS ? job->again * 2 : TRY_MOST_MS;
}

static void was_put(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
		    const struct hub_asked *asked, const struct fleet_answer *a, struct fleet_actions *out)
{
	if (job->state == JOB_CLAIMS)
		hub->claims--;
	if (job->state == JOB_CLAIMS && a->kind == FLEET_OK) {
		was_claimed(hub, now, job, asked, a->revision, out);
		return;
	}
	if (job->state == JOB_FINISHES && a->kind == FLEET_OK) {
		if (a->revision > hub->top)
			hub->top = a->revision;
		if (job->final == FLEET_DEAD)
			bury(hub, now, job, out);
		finish(hub, now, job, out);
		return;
	}
	job->offered = false;
	hub_unassign(hub, job, true);
	read_record(hub, now, job, out);
}

void hub_job_answer(struct fleet_hub *hub, struct fleet_now now, const struct hub_asked *asked,
		    const struct fleet_answer *a, struct fleet_actions *out)
{
	struct hub_job *job = asked->job;

	if (asked->kind == FLEET_ASK_PUT && (job->state == JOB_CLAIMS || job->state == JOB_FINISHES))
		was_put(hub, now, job, asked, a, out);
	else if (asked->kind == FLEET_ASK_RECORD && job->state == JOB_READS)
		was_read(hub, now, job, a, out);
}

static uint64_t backoff(struct fleet_hub *hub, const struct hub_job *job)
{
	uint64_t ms = hub->options.backoff_ms;

	for (unsigned i = 1; i < job->attempt && ms < hub->options.backoff_most_ms; i++)
		ms *= 2;
	if (ms > hub->options.backoff_most_ms)
		ms = hub->options.backoff_most_ms;
	return ms + hub_random(hub) % (ms / 4 + 1);
}

static bool is_claimed_as(const struct hub_job *job, struct fleet_token token)
{
	return job && (job->state == JOB_HELD || job->state == JOB_FOUND) &&
	       fleet_token_is(job->token, token);
}

void hub_job_returned(struct fleet_hub *hub, struct fleet_now now, const struct fleet_message *m,
		      struct fleet_actions *out)
{
	struct hub_job *job = hub_job_find(hub, m->tenant, m->job);

	if (!is_claimed_as(job, m->token) || strcmp(job->node, m->from))
		return;
	(void)out;
	hub_unassign(hub, job, true);
	job->counts = m->yes;
	wait_until(hub, job, now.ms + (m->yes ? backoff(hub, job) : HUB_RETURNED_MS));
}

void hub_job_ended(struct fleet_hub *hub, struct fleet_now now, const struct fleet_message *m,
		   struct fleet_actions *out)
{
	struct hub_job *job = hub_job_find(hub, m->tenant, m->job);

	if (!is_claimed_as(job, m->token) || strcmp(job->node, m->from))
		return;
	hub_unassign(hub, job, true);
	job->told_ended = true;
	read_record(hub, now, job, out);
}

void hub_job_lost(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, struct fleet_actions *out)
{
	hub_say(out, "job %s of %s is begun again: node %s has lost it", job->job.id, job->job.tenant,
		job->node);
	job->counts = true;
	wait_until(hub, job, now.ms + (job->attempt > 1 ? backoff(hub, job) : 0));
}

void hub_job_listed(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, struct hub_node *node,
		    struct fleet_token token, struct fleet_actions *out)
{
	(void)out;
	if (!fleet_token_is(job->token, token) || job->incarnation != node->incarnation ||
	    strcmp(job->node, node->name))
		return;
	if (job->state == JOB_WAITS || job->state == JOB_LATER || job->state == JOB_FOUND) {
		if (!job->offered && token.epoch == hub->epoch && job->state != JOB_FOUND)
			return;
		leave_queue(hub, job);
		if (!job->is_assigned) {
			hub_assign(hub, job, node);
			node->room++;
			fleet_queue_held(hub->queue, job->job.tenant);
		}
		job->state = JOB_HELD;
	}
	if (job->state != JOB_HELD)
		return;
	job->beat_seen = node->beat;
	job->since_claim = now.ms;
}

static void send_cancel(struct fleet_hub *hub, const struct hub_job *job, struct fleet_actions *out)
{
	struct fleet_message *m = &fleet_actions_add(out, FLEET_SEND)->message;

	m->kind = FLEET_MSG_CANCEL;
	fleet_name_copy(m->from, hub->options.name);
	fleet_name_copy(m->to, job->node);
	fleet_name_copy(m->job, job->job.id);
	fleet_name_copy(m->tenant, job->job.tenant);
	m->incarnation = job->incarnation;
	m->token = job->token;
}

void hub_job_cancel(struct fleet_hub *hub, struct fleet_now now, const struct fleet_message *m,
		    struct fleet_actions *out)
{
	struct hub_job *job = hub_job_find(hub, m->tenant, m->job);

	if (!job) {
		struct fleet_job unknown = { 0 };

		if (hub->cancels >= HUB_CANCELS)
			return; /* it will be asked again */
		hub->cancels++;
		fleet_name_copy(unknown.id, m->job);
		fleet_name_copy(unknown.tenant, m->tenant);
		fleet_name_copy(unknown.class, FLEET_ANY);
		unknown.attempts = 1;
		job = add(hub, now, &unknown);
		job->cancelled = job->unread = true;
		read_record(hub, now, job, out);
		return;
	}
	job->cancelled = true;
	if (job->state == JOB_HELD || job->state == JOB_FOUND)
		send_cancel(hub, job, out);
}

static void tick(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, struct fleet_actions *out)
{
	switch (job->state) {
	case JOB_WAITS:
		is_over(hub, now, job, out);
		break;
	case JOB_LATER:
		if (job->due > now.ms)
			break;
		if (job->unread && now.ms - job->since > HUB_UNREAD_MS) {
			hub_job_free(hub, job);
		} else if (job->unread && !job->revision && !job->reread) {
			is_over(hub, now, job, out); /* it has no record: it is cancelled */
		} else if (job->reread || job->unread) {
			job->reread = false;
			read_record(hub, now, job, out);
		} else {
			wait_in_queue(hub, job);
		}
		break;
	case JOB_HELD:
	case JOB_FOUND:
		if (hub_claim_is_lost(hub, now, job))
			hub_job_lost(hub, now, job, out);
		else if (job->cancelled && job->due <= now.ms) {
			send_cancel(hub, job, out);
			job->due = now.ms + 1000;
		}
		break;
	case JOB_ENDED:
		if (job->due <= now.ms && !job->ask)
			hub_job_free(hub, job);
		break;
	case JOB_CLAIMS:
	case JOB_READS:
	case JOB_FINISHES:
		break; /* an answer comes, or is given up */
	}
}

void hub_jobs_tick(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out)
{
	struct fleet_cursor at = { 0 };
	struct hub_job *job;

	if (!hub_may_claim(hub, now))
		return;
	while ((job = fleet_table_next(hub->jobs, &at, NULL)))
		tick(hub, now, job, out);
}
