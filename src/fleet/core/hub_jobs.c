/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes and submitters say of jobs, and what time brings: given back, ended, lost, cancelled, due. */
#include "fleet/core/hub_part.h"

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
	if (m->yes) {
		hub_tried_add(job, m->reason);
		hub->counts.not_started++;
	}
	hub_unassign(hub, job, true);
	job->counts = m->yes;
	hub_job_wait_until(hub, job, now.ms + (m->yes ? backoff(hub, job) : HUB_RETURNED_MS));
}

void hub_job_ended(struct fleet_hub *hub, struct fleet_now now, const struct fleet_message *m,
		   struct fleet_actions *out)
{
	struct hub_job *job = hub_job_find(hub, m->tenant, m->job);

	if (!is_claimed_as(job, m->token) || strcmp(job->node, m->from))
		return;
	hub_unassign(hub, job, true);
	job->told_ended = true;
	hub_job_read(hub, now, job, out);
}

void hub_job_lost(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, struct fleet_actions *out)
{
	hub_say(out, "job %s of %s is begun again: node %s has lost it", job->job.id, job->job.tenant,
		job->node);
	hub_tried_add(job, "the node was lost, or had lost the job");
	hub->counts.lost++;
	job->counts = true;
	hub_job_wait_until(hub, job, now.ms + (job->attempt > 1 ? backoff(hub, job) : 0));
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
		hub_job_leave_queue(hub, job);
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
		job = hub_job_new(hub, now, &unknown);
		job->cancelled = job->unread = true;
		hub_job_read(hub, now, job, out);
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
		hub_job_is_over(hub, now, job, out);
		break;
	case JOB_LATER:
		if (job->due > now.ms)
			break;
		if (job->unread && now.ms - job->since > HUB_UNREAD_MS) {
			hub_job_free(hub, job);
		} else if (job->unread && !job->revision && !job->reread) {
			hub_job_is_over(hub, now, job, out); /* it has no record: it is cancelled */
		} else if (job->reread || job->unread) {
			job->reread = false;
			hub_job_read(hub, now, job, out);
		} else {
			hub_job_wait(hub, job);
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
	case JOB_BURIED:
		hub_job_bury_again(hub, now, job, out);
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
