/* SPDX-License-Identifier: Apache-2.0 */
/* What a node decides: what it takes, when it begins, when it kills. What is done with results is
 * node_result.c. */
#include "fleet/core/node_part.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/core/memory.h"
#include "fleet/core/planted.h"

struct fleet_node *fleet_node_create(const struct fleet_node_options *options)
{
	struct fleet_node *n = fleet_new(sizeof(*n));

	n->options = *options;
	n->most = options->slots + options->ahead;
	n->asks = fleet_table_create();
	return n;
}

static void free_held(struct held *h)
{
	fleet_job_finish(&h->job);
	fleet_record_finish(&h->record);
	free(h);
}

void fleet_node_destroy(struct fleet_node *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->n_held; i++)
		free_held(n->held[i]);
	free(n->held);
	fleet_table_destroy(n->asks);
	free(n);
}

struct held *node_add(struct fleet_node *n, const struct fleet_job *job, enum held_state state)
{
	struct held *h = fleet_new(sizeof(*h));

	fleet_job_copy(job, &h->job);
	h->state = state;
	h->due = NODE_NEVER;
	n->held = fleet_grow(n->held, &n->held_room, n->n_held + 1, sizeof(*n->held));
	n->held[n->n_held++] = h;
	return h;
}

void node_send(struct fleet_node *n, enum fleet_message_kind kind, const char *to, const struct held *h,
	       struct fleet_actions *out, struct fleet_message **ret)
{
	struct fleet_message *m = &fleet_actions_add(out, FLEET_SEND)->message;

	m->kind = kind;
	fleet_name_copy(m->from, n->options.name);
	fleet_name_copy(m->to, to);
	m->incarnation = n->options.incarnation;
	if (h) {
		fleet_name_copy(m->job, h->job.id);
		fleet_name_copy(m->tenant, h->job.tenant);
		m->token = h->token;
		m->attempt = h->attempt;
	}
	if (ret)
		*ret = m;
}

/* The job is the node's no more. It is remembered until no offer of it can be accepted a second time. */
void node_let_go(struct fleet_node *n, struct fleet_now now, struct held *h)
{
	h->state = HELD_GONE;
	h->due = now.ms + n->options.lease_ms;
}

void node_give_back(struct fleet_node *n, struct fleet_now now, struct held *h, bool counts,
		    const char *reason, struct fleet_actions *out)
{
	struct fleet_message *m;

	node_send(n, FLEET_MSG_RETURNED, "", h, out, &m);
	m->yes = counts;
	fleet_reason_copy(m->reason, reason);
	node_let_go(n, now, h);
}

static bool is_active(const struct held *h)
{
	return h->state == HELD_WAITS || h->state == HELD_ASKS || h->state == HELD_RUNS ||
	       h->state == HELD_DIES;
}

/* It has a process, or may have one. */
static bool is_running(const struct held *h)
{
	return h->state == HELD_RUNS || h->state == HELD_DIES || h->state == HELD_ASKS;
}

static bool is_writing(const struct held *h)
{
	return h->state == HELD_WRITES;
}

static size_t count(const struct fleet_node *n, bool (*is)(const struct held *h))
{
	size_t sum = 0;

	for (size_t i = 0; i < n->n_held; i++)
		sum += is(n->held[i]);
	return sum;
}

size_t fleet_node_running(const struct fleet_node *n)
{
	return count(n, is_running);
}

size_t fleet_node_held(const struct fleet_node *n)
{
	return count(n, is_active);
}

uint64_t fleet_node_lease(const struct fleet_node *n)
{
	return n->lease;
}

void fleet_node_limit(struct fleet_node *n, unsigned most)
{
	unsigned all = n->options.slots + n->options.ahead;

	n->most = most < all ? most : all;
}

/* From when on nothing may run. */
static uint64_t end_of_lease(const struct fleet_node *n)
{
	if (PLANTED(NO_KILL))
		return NODE_NEVER;
	return n->lease > n->options.kill_ms ? n->lease - n->options.kill_ms : 0;
}

static void beat(struct fleet_node *n, struct fleet_now now, struct fleet_actions *out)
{
	/* What is being written counts: the hub takes its slot for free when it is told that it ended. */
	size_t used = fleet_node_held(n) + count(n, is_writing), listed = 0;
	struct fleet_message *m;
	struct fleet_beat *b;

	n->sent[++n->beats % NODE_BEATS] = now.ms;
	n->next_beat = now.ms + n->options.beat_ms;
	node_send(n, FLEET_MSG_BEAT, "", NULL, out, &m);
	b = &m->beat;
	b->number = n->beats;
	b->sent_ms = now.ms;
	b->epoch = n->epoch;
	b->slots = n->options.slots;
	b->room = n->draining || used >= n->most ? 0 : n->most - (unsigned)used;
	b->draining = n->draining;
	b->failing = n->failed_starts >= n->options.failing_after;
	snprintf(b->labels, sizeof(b->labels), "%s", n->options.labels);
	b->held = fleet_new((n->n_held + 1) * sizeof(*b->held));
	for (size_t i = 0; i < n->n_held; i++) {
		const struct held *h = n->held[i];

		if (h->state == HELD_GONE)
			continue;
		fleet_name_copy(b->held[listed].job, h->job.id);
		fleet_name_copy(b->held[listed].tenant, h->job.tenant);
		b->held[listed++].token = h->token;
	}
	b->n_held = listed;
}

void fleet_node_drain(struct fleet_node *n, struct fleet_now now, bool draining, struct fleet_actions *out)
{
	if (n->draining == draining)
		return;
	n->draining = draining;
	for (size_t i = 0; i < n->n_held && draining; i++)
		if (n->held[i]->state == HELD_WAITS)
			node_give_back(n, now, n->held[i], false, "the node is drained", out);
	beat(n, now, out);
}

/* When the lease of an answered beat ends; 0: it was too long ago, or never sent. */
static uint64_t lease_of(const struct fleet_node *n, uint64_t number)
{
	if (!number || number > n->beats || n->beats - number >= NODE_BEATS)
		return 0;
	return n->sent[number % NODE_BEATS] + n->options.lease_ms;
}

static void beat_was_heard(struct fleet_node *n, struct fleet_now now, const struct fleet_message *m)
{
	uint64_t lease = PLANTED(LEASE_FROM_ANSWER) ? now.ms + n->options.lease_ms : lease_of(n, m->number);

	if (m->token.epoch < n->epoch)
		return;
	n->epoch = m->token.epoch;
	if (lease > n->lease)
		n->lease = lease;
}

static void ask_submitter(struct fleet_node *n, struct fleet_now now, struct held *h,
			  struct fleet_actions *out)
{
	struct fleet_message *m;

	node_send(n, FLEET_MSG_MAY_I, h->job.submitter, h, out, &m);
	m->number = h->asking;
	memcpy(m->seal, h->seal, sizeof(m->seal));
	h->due = now.ms + n->options.grant_ms;
}

static void begin(struct held *h, struct fleet_actions *out)
{
	struct fleet_action *a = fleet_actions_add(out, FLEET_START);

	fleet_job_copy(&h->job, &a->job);
	a->token = h->token;
	a->number = h->attempt;
	memcpy(a->record.seal, h->seal, sizeof(a->record.seal));
	h->state = HELD_RUNS;
	h->due = NODE_NEVER;
}

/* Begins what waits, where there is a slot and a lease. */
static void begin_waiting(struct fleet_node *n, struct fleet_now now, struct fleet_actions *out)
{
	size_t running = fleet_node_running(n);

	for (size_t i = 0; i < n->n_held && running < n->options.slots && now.ms < end_of_lease(n); i++) {
		struct held *h = n->held[i];

		if (h->state != HELD_WAITS)
			continue;
		running++;
		if (h->job.effect != FLEET_ONCE) {
			begin(h, out);
			continue;
		}
		h->state = HELD_ASKS;
		h->asking = ++n->askings;
		h->give_up = now.ms + n->options.grant_give_up_ms;
		ask_submitter(n, now, h, out);
	}
}

static struct held *find(struct fleet_node *n, const char *tenant, const char *id)
{
	for (size_t i = n->n_held; i-- > 0;)
		if (!strcmp(n->held[i]->job.id, id) && !strcmp(n->held[i]->job.tenant, tenant))
			return n->held[i];
	return NULL;
}

static struct held *find_token(struct fleet_node *n, const char *id, struct fleet_token token)
{
	for (size_t i = 0; i < n->n_held; i++)
		if (fleet_token_is(n->held[i]->token, token) && !strcmp(n->held[i]->job.id, id))
			return n->held[i];
	return NULL;
}

static void kill_box(struct held *h, struct fleet_actions *out)
{
	struct fleet_action *a = fleet_actions_add(out, FLEET_KILL);

	fleet_job_copy(&h->job, &a->job);
	a->token = h->token;
	h->state = HELD_DIES;
	h->due = NODE_NEVER;
}

/* Says why not; NULL: yes. */
static const char *refuse(struct fleet_node *n, struct fleet_now now, const struct fleet_message *m)
{
	uint64_t lease = lease_of(n, m->number);

	if (!PLANTED(OLD_OFFER) && (m->token.epoch < n->epoch || now.ms + n->options.kill_ms >= lease))
		return "the offer is old";
	if (n->draining)
		return "the node is drained";
	if (fleet_node_held(n) >= n->options.slots + n->options.ahead)
		return "the node is full";
	return NULL;
}

static void offered(struct fleet_node *n, struct fleet_now now, const struct fleet_message *m,
		    struct fleet_actions *out)
{
	struct held *old = find(n, m->offered.tenant, m->offered.id), *h;
	const char *reason = refuse(n, now, m);

	if (find_token(n, m->offered.id, m->token))
		return; /* came twice */
	if (m->token.epoch > n->epoch && !reason)
		n->epoch = m->token.epoch;
	if (old && old->state == HELD_WAITS)
		node_let_go(n, now, old); /* its claim is no more */
	else if (old && old->state != HELD_GONE && !reason)
		reason = "the node still has it from before";
	if (old && old->state == HELD_RUNS && !old->granted)
		kill_box(old, out); /* its result would not count */
	h = node_add(n, &m->offered, HELD_WAITS);
	h->token = m->token;
	h->attempt = m->attempt;
	memcpy(h->seal, m->seal, sizeof(h->seal));
	if (reason)
		node_give_back(n, now, h, false, reason, out);
	else
		begin_waiting(n, now, out);
}

static void granted(struct fleet_node *n, struct fleet_now now, const struct fleet_message *m,
		    struct fleet_actions *out)
{
	struct held *h = find_token(n, m->job, m->token);

	if (!h || h->state != HELD_ASKS || h->asking != m->number)
		return;
	if (m->yes && h->cancelled) {
		node_write_end(n, now, h, FLEET_CANCELLED, NULL, out);
	} else if (m->yes && now.ms < end_of_lease(n)) {
		h->granted = true;
		begin(h, out);
	} else if (m->yes) {
		node_give_back(n, now, h, true, "the grant came after the lease", out);
	} else {
		bool taken = !strcmp(m->reason, FLEET_TAKEN);

		node_write_end(n, now, h, taken ? FLEET_UNKNOWN : FLEET_CANCELLED, NULL, out);
	}
}

static void cancelled(struct fleet_node *n, struct fleet_now now, const struct fleet_message *m,
		      struct fleet_actions *out)
{
	struct held *h = find_token(n, m->job, m->token);

	if (!h)
		return;
	if (h->state == HELD_WAITS) {
		node_write_end(n, now, h, FLEET_CANCELLED, NULL, out);
	} else if (h->state == HELD_ASKS) {
		h->cancelled = true; /* who asks may have been told yes: the answer decides */
	} else if (h->state == HELD_RUNS) {
		h->cancelled = true;
		kill_box(h, out);
	}
}

void fleet_node_message(struct fleet_node *n, struct fleet_now now, const struct fleet_message *m,
			struct fleet_actions *out)
{
	if (m->incarnation != n->options.incarnation)
		return;
	if (m->kind == FLEET_MSG_BEAT_OK)
		beat_was_heard(n, now, m);
	else if (m->kind == FLEET_MSG_OFFER)
		offered(n, now, m, out);
	else if (m->kind == FLEET_MSG_GRANT)
		granted(n, now, m, out);
	else if (m->kind == FLEET_MSG_CANCEL)
		cancelled(n, now, m, out);
}

void fleet_node_ended(struct fleet_node *n, struct fleet_now now, const char *job, struct fleet_token token,
		      struct fleet_text *result, struct fleet_actions *out)
{
	struct held *h = find_token(n, job, token);
	bool died; /* by itself: nobody wanted it to */

	if (!h || (h->state != HELD_RUNS && h->state != HELD_DIES))
		return;
	died = !result && h->state == HELD_RUNS && now.ms < end_of_lease(n);
	if (result)
		n->failed_starts = 0;
	n->failed_starts += died;
	if (result)
		node_write_end(n, now, h, FLEET_ENDED, result, out);
	else if (h->cancelled)
		node_write_end(n, now, h, FLEET_CANCELLED, NULL, out);
	else
		node_give_back(n, now, h, true,
			       died ? "the node lost it" : "it was killed: the node had lost its hub", out);
	begin_waiting(n, now, out);
}

void fleet_node_not_started(struct fleet_node *n, struct fleet_now now, const char *job,
			    struct fleet_token token, const char *reason, struct fleet_actions *out)
{
	struct held *h = find_token(n, job, token);

	if (!h || (h->state != HELD_RUNS && h->state != HELD_DIES))
		return;
	n->failed_starts++;
	if (h->granted) { /* nobody else may try */
		struct fleet_text *text = fleet_text_new(reason, strlen(reason));

		node_write_end(n, now, h, FLEET_DEAD, text, out);
		fleet_text_drop(text);
	} else {
		node_give_back(n, now, h, true, reason, out);
	}
	begin_waiting(n, now, out);
}

/* The lease has ended, or ends within kill_ms. */
static void stop_all(struct fleet_node *n, struct fleet_now now, struct fleet_actions *out)
{
	for (size_t i = 0; i < n->n_held; i++) {
		struct held *h = n->held[i];

		if (h->state == HELD_RUNS)
			kill_box(h, out);
		else if (h->state == HELD_WAITS)
			node_give_back(n, now, h, false, "the node had lost its hub", out);
	}
}

static void tick_held(struct fleet_node *n, struct fleet_now now, struct held *h, struct fleet_actions *out)
{
	if (h->due > now.ms)
		return;
	if (h->state == HELD_ASKS && now.ms >= h->give_up)
		node_give_back(n, now, h, false, "its submitter does not answer", out);
	else if (h->state == HELD_ASKS)
		ask_submitter(n, now, h, out);
	else if (h->state == HELD_WRITES)
		node_write_again(n, now, h, out);
}

static void forget_gone(struct fleet_node *n, struct fleet_now now)
{
	size_t kept = 0;

	for (size_t i = 0; i < n->n_held; i++) {
		if (n->held[i]->state == HELD_GONE && n->held[i]->due <= now.ms)
			free_held(n->held[i]);
		else
			n->held[kept++] = n->held[i];
	}
	n->n_held = kept;
}

void fleet_node_tick(struct fleet_node *n, struct fleet_now now, struct fleet_actions *out)
{
	if (now.ms >= end_of_lease(n))
		stop_all(n, now, out);
	for (size_t i = 0; i < n->n_held; i++)
		tick_held(n, now, n->held[i], out);
	forget_gone(n, now);
	begin_waiting(n, now, out);
	if (now.ms >= n->next_beat)
		beat(n, now, out);
}

uint64_t fleet_node_next(const struct fleet_node *n)
{
	uint64_t next = n->next_beat, lease = end_of_lease(n);

	for (size_t i = 0; i < n->n_held; i++) {
		const struct held *h = n->held[i];

		if (h->due < next)
			next = h->due;
		if (h->state == HELD_RUNS && lease < next)
			next = lease;
	}
	return next;
}
