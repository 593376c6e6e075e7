/* SPDX-License-Identifier: Apache-2.0 */
/* How a hub claims a job for a node, what it finds in its record, and how it writes the end of one that may
 * not begin any more. */
#include "fleet/core/hub_part.h"

#include "fleet/core/planted.h"

#define TRY_MOST_MS 5000 /* before a record is read again */

/* Writes a record of the hub's own: the job is over. */
static void write_final(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
			enum fleet_phase phase, const char *reason, struct fleet_actions *out)
{
	struct fleet_ask *a;

	hub_job_leave_queue(hub, job);
	job->state = JOB_FINISHES;
	job->final = phase;
	fleet_text_drop(job->dead);
	job->dead = hub_dead_text(job, reason);
	a = hub_ask(hub, now, FLEET_ASK_PUT, job, NULL, out);
	a->expected = job->revision;
	a->record.phase = phase;
	a->record.token = (struct fleet_token){ .epoch = hub->epoch, .revision = job->revision };
	a->record.attempt = job->attempt;
	fleet_name_copy(a->record.node, job->node);
	a->record.result = fleet_text_hold(job->dead);
}

/* Whether it may not be begun any more; then its end is written. */
bool hub_job_is_over(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
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

	if (hub_job_is_over(hub, now, job, out)) {
		fleet_queue_released(hub->queue, job->job.tenant);
		return;
	}
	hub_assign(hub, job, node);
	hub_content_goes(hub, &job->job, node->name);
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
	a->record.result = fleet_text_hold(job->tried); /* for the hub that comes after this one */
	if (PLANTED(FORGETS_EARLY))
		hub_job_forget_places(hub, now, job, out);
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
		hub_job_wait(hub, job);
		return;
	}
	job->again = HUB_TRY_MS;
	job->told_ended = false;
	job->state = JOB_HELD;
	job->beat_seen = 0;
	offer(hub, job, node, out);
	hub_count_begun(hub, now, job);
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
	if (job->revision != revision) { /* that was another claim, to another node */
		job->offered = false;
		hub_tried_set(job, r->result);
	}
	job->revision = revision;
	job->token = (struct fleet_token){ .epoch = r->token.epoch, .revision = revision };
	job->attempt = r->attempt;
	job->counts = !never_told;
	if (job->told_ended && job->again < TRY_MOST_MS) {
		hub_job_wait_until(hub, job, now.ms + job->again);
		job->reread = true;
		return;
	}
	if (never_told) { /* a claim of ours whose answer was lost */
		hub_job_wait_until(hub, job, now.ms + job->again);
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
	if (a->kind == FLEET_OK && a->record.phase <= FLEET_UNKNOWN && !job->unread)
		hub->counts.ends[a->record.phase]++;
	if (a->kind == FLEET_OK && a->record.phase == FLEET_DEAD) {
		job->attempt = a->record.attempt;
		fleet_name_copy(job->node, a->record.node);
		hub_job_bury(hub, now, job, a->record.result, out);
		return;
	}
	if (a->kind == FLEET_OK && a->record.phase != FLEET_CLAIMED) {
		hub_job_finish(hub, now, job, out);
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
		hub_job_wait_until(hub, job, now.ms + job->again);
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
		hub->counts.ends[job->final]++;
		if (job->final == FLEET_DEAD)
			hub_job_bury(hub, now, job, job->dead, out);
		else
			hub_job_finish(hub, now, job, out);
		return;
	}
	job->offered = false;
	hub_unassign(hub, job, true);
	hub_job_read(hub, now, job, out);
}

void hub_job_answer(struct fleet_hub *hub, struct fleet_now now, const struct hub_asked *asked,
		    const struct fleet_answer *a, struct fleet_actions *out)
{
	struct hub_job *job = asked->job;

	if (asked->kind == FLEET_ASK_PUT && (job->state == JOB_CLAIMS || job->state == JOB_FINISHES))
		was_put(hub, now, job, asked, a, out);
	else if (asked->kind == FLEET_ASK_RECORD && job->state == JOB_READS)
		was_read(hub, now, job, a, out);
	else if (asked->kind == FLEET_ASK_BURY && job->state == JOB_BURIED)
		hub_job_was_buried(hub, now, job, a->kind == FLEET_OK, out);
}
