/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the fleet's state machines, and what they wanted done. */
#ifndef SUPPORT_FLEET_H
#define SUPPORT_FLEET_H

#include "fleet/core/actions.h"
#include "fleet/core/names.h"

static inline struct fleet_now at(uint64_t ms)
{
	return (struct fleet_now){ .ms = ms, .wall_ms = 1000000 + ms };
}

static inline struct fleet_job a_job(const char *id, enum fleet_effect effect)
{
	struct fleet_job job = { .effect = effect, .priority = 5, .attempts = 3 };

	fleet_name_copy(job.id, id);
	fleet_name_copy(job.tenant, "t");
	fleet_name_copy(job.class, FLEET_ANY);
	fleet_name_copy(job.submitter, "s");
	return job;
}

/* The first action of this kind from *FROM on, which then is behind it; NULL: none. */
static inline struct fleet_action *next_of(struct fleet_actions *out, enum fleet_action_kind kind,
					   size_t *from)
{
	while (*from < out->n)
		if (out->items[(*from)++].kind == kind)
			return &out->items[*from - 1];
	return NULL;
}

static inline struct fleet_action *first_of(struct fleet_actions *out, enum fleet_action_kind kind)
{
	size_t from = 0;

	return next_of(out, kind, &from);
}

static inline struct fleet_message *sent(struct fleet_actions *out, enum fleet_message_kind kind)
{
	struct fleet_action *a;
	size_t from = 0;

	while ((a = next_of(out, FLEET_SEND, &from)))
		if (a->message.kind == kind)
			return &a->message;
	return NULL;
}

static inline struct fleet_ask *asked(struct fleet_actions *out, enum fleet_ask_kind kind)
{
	struct fleet_action *a;
	size_t from = 0;

	while ((a = next_of(out, FLEET_ASK, &from)))
		if (a->ask.kind == kind)
			return &a->ask;
	return NULL;
}

#endif
