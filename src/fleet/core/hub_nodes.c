/* SPDX-License-Identifier: Apache-2.0 */
/* What a hub knows of nodes: who is there, with how much room, and which claims are lost. */
#include "fleet/core/hub_part.h"

#include <stdlib.h>

#include "fleet/core/memory.h"
#include "fleet/core/planted.h"

static struct hub_node *get(struct fleet_hub *hub, const char *name)
{
	struct hub_node *node = fleet_table_get(hub->nodes, name);

	if (node)
		return node;
	node = fleet_new(sizeof(*node));
	fleet_name_copy(node->name, name);
	fleet_table_put(hub->nodes, name, node);
	return node;
}

void hub_assign(struct fleet_hub *hub, struct hub_job *job, struct hub_node *node)
{
	if (job->is_assigned)
		hub_unassign(hub, job, false);
	job->is_assigned = true;
	fleet_name_copy(job->node, node->name);
	job->prev = NULL;
	job->next = node->jobs;
	if (node->jobs)
		node->jobs->prev = job;
	node->jobs = job;
	node->n_jobs++;
	node->room--;
}

void hub_unassign(struct fleet_hub *hub, struct hub_job *job, bool freed)
{
	struct hub_node *node = fleet_table_get(hub->nodes, job->node);

	if (!job->is_assigned)
		return;
	job->is_assigned = false;
	if (job->prev)
		job->prev->next = job->next;
	else
		node->jobs = job->next;
	if (job->next)
		job->next->prev = job->prev;
	node->n_jobs--;
	if (freed && !node->draining)
		node->room++;
	fleet_queue_released(hub->queue, job->job.tenant);
}

/* Jobs that the beat does not list although they are this node's. */
static void look_for_lost(struct fleet_hub *hub, struct fleet_now now, struct hub_node *node,
			  struct fleet_actions *out)
{
	struct hub_job *job, *next;

	for (job = node->jobs; job; job = next) {
		next = job->next;
		if (job->incarnation != node->incarnation || job->beat_seen == node->beat)
			continue;
		if (job->state != JOB_HELD && job->state != JOB_FOUND) {
			node->room--; /* it will be offered */
			continue;
		}
		if (hub_claim_is_lost(hub, now, job))
			hub_job_lost(hub, now, job, out);
		else
			node->room--;
	}
}

static void take_beat(struct fleet_hub *hub, struct fleet_now now, const struct fleet_message *m,
		      struct hub_node *node)
{
	const struct fleet_beat *b = &m->beat;

	/* What it had before it began again is lost some time after it was heard last. */
	for (struct hub_job *job = node->jobs; job && m->incarnation != node->incarnation; job = job->next)
		if (job->incarnation == node->incarnation && job->since_claim < node->heard)
			job->since_claim = node->heard;
	node->incarnation = m->incarnation;
	node->beat = b->number;
	node->beat_read = false;
	node->sent_ms = b->sent_ms;
	node->epoch = b->epoch;
	node->heard = now.ms;
	node->slots = b->slots;
	node->room = b->room;
	node->draining = b->draining;
	node->failing = b->failing;
	memcpy(node->labels, b->labels, sizeof(node->labels));
	if (b->epoch > hub->highest_epoch)
		hub->highest_epoch = b->epoch;
}

void hub_node_beat(struct fleet_hub *hub, struct fleet_now now, const struct fleet_message *m,
		   struct fleet_actions *out)
{
	struct hub_node *node = get(hub, m->from);
	struct fleet_message *answer;

	/* Late or twice. An incarnation that begins is newer than what is there: they are times of starts. */
	if (m->incarnation < node->incarnation ||
	    (m->incarnation == node->incarnation && m->beat.number <= node->beat))
		return;
	take_beat(hub, now, m, node);
	if (!hub_is_active(hub, now))
		return;
	if (m->beat.epoch > hub->epoch)
		hub_begin_again(hub, m->beat.epoch);
	for (size_t i = 0; i < m->beat.n_held; i++) {
		const struct fleet_holding *held = &m->beat.held[i];
		struct hub_job *job = hub_job_find(hub, held->tenant, held->job);

		if (job)
			hub_job_listed(hub, now, job, node, held->token, out);
	}
	node->beat_read = true;
	look_for_lost(hub, now, node, out);
	answer = &fleet_actions_add(out, FLEET_SEND)->message;
	answer->kind = FLEET_MSG_BEAT_OK;
	fleet_name_copy(answer->from, hub->options.name);
	fleet_name_copy(answer->to, node->name);
	answer->incarnation = node->incarnation;
	answer->number = node->beat;
	answer->token.epoch = hub->epoch;
}

bool hub_claim_is_lost(const struct fleet_hub *hub, struct fleet_now now, const struct hub_job *job)
{
	const struct hub_node *node = fleet_table_get(hub->nodes, job->node);
	/* Leases that an earlier hub gave end so long after this one began. */
	uint64_t silent = hub->active_since + hub->options.hold_ms;
	bool is_there = node && node->incarnation == job->incarnation;

	if (PLANTED(IGNORES_HELD) && job->state == JOB_FOUND)
		return true;
	if (is_there && node->heard > silent)
		silent = node->heard;
	if (node && !is_there && job->since_claim > silent)
		silent = job->since_claim; /* heard of it then, from the node as it was before */
	if (now.ms >= silent + (PLANTED(RECLAIM_EARLY) ? hub->options.lost_ms / 8 : hub->options.lost_ms))
		return true;
	/* A beat that came before the claim was found could not be understood; and of one that came while
	 * this hub was not sure to be the active one the list was not read. */
	if (!is_there || !node->beat_read || job->beat_seen == node->beat || node->heard <= job->since_claim)
		return false;
	/* The last beat does not list it. A node that knows this epoch accepts no offer of an older one; and
	 * none that answers a beat whose lease has ended. */
	if (job->token.epoch < hub->epoch)
		return node->epoch >= hub->epoch;
	return node->sent_ms >= job->offer_sent_ms + hub->options.lease_ms;
}

void hub_nodes_tick(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out)
{
	struct fleet_cursor at = { 0 };
	struct hub_node *node;
	const char *name;

	while ((node = fleet_table_next(hub->nodes, &at, &name))) {
		if (now.ms < node->heard + hub->options.lost_ms)
			continue;
		if (node->slots)
			hub_say(out, "node %s is lost: nothing was heard of it for %llu s", node->name,
				(unsigned long long)(hub->options.lost_ms / 1000));
		node->room = 0;
		node->slots = 0;
		if (!node->jobs && now.ms >= node->heard + 60 * hub->options.lost_ms) {
			fleet_table_remove(hub->nodes, name);
			free(node);
		}
	}
}

long hub_node_freedom(const struct hub_node *node)
{
	return node->room * 1000 / (long)(node->slots ? node->slots : 1);
}

bool hub_node_suits(const struct hub_node *node, const char *class)
{
	return node->room > 0 && !node->draining && !(node->failing && node->n_jobs) &&
	       fleet_class_fits(class, node->name, node->labels);
}

struct hub_node *hub_node_for(struct fleet_hub *hub, const char *class)
{
	struct fleet_cursor at = { 0 };
	struct hub_node *node, *best = NULL;

	while ((node = fleet_table_next(hub->nodes, &at, NULL))) {
		if (!hub_node_suits(node, class))
			continue;
		if (!best || best->failing > node->failing ||
		    (best->failing == node->failing && hub_node_freedom(node) > hub_node_freedom(best)))
			best = node;
	}
	return best;
}
