/* SPDX-License-Identifier: Apache-2.0 */
/* Whose turn it is. A lane is the jobs of one tenant for one class, in their order; lanes of a class take
 * turns by stride scheduling: each job costs its tenant's pass 1/weight, the lowest pass is next. A tenant
 * that was idle begins where the others are. */
#ifndef FLEET_CORE_QUEUE_H
#define FLEET_CORE_QUEUE_H

#include "fleet/core/types.h"

/* What a tenant may have. */
struct fleet_share {
	unsigned weight;   /* 1 to 1000; 10 is usual */
	unsigned at_once;  /* jobs that nodes hold, over all classes; 0: no limit */
	unsigned a_minute; /* jobs that begin; bursts of as many; 0: no limit */
};

#define FLEET_SHARE          \
	{                    \
		.weight = 10 \
	}

struct fleet_queue;
/* An entry that waits: part of the caller's structure, which it must not move. */
struct fleet_entry {
	struct fleet_lane *lane; /* NULL: not in the queue */
	struct fleet_entry *prev, *next;
	unsigned priority; /* 0 to 9: higher ones of a lane are first */
	uint64_t place;    /* then lower ones */
};

struct fleet_queue *fleet_queue_create(void);
void fleet_queue_destroy(struct fleet_queue *q);
void fleet_queue_share(struct fleet_queue *q, const char *tenant, const struct fleet_share *share);
/* Puts an entry at its place by priority and place. */
void fleet_queue_add(struct fleet_queue *q, const char *class, const char *tenant, struct fleet_entry *entry);
void fleet_queue_remove(struct fleet_queue *q, struct fleet_entry *entry);
/* The next entry among the lanes whose class FITS says yes to; it leaves the queue and counts as held. NULL:
 * none may begin now; *RET_WAIT_MS then is how long until a rate lets one begin, UINT64_MAX if it is not for
 * that. */
struct fleet_entry *fleet_queue_take(struct fleet_queue *q, uint64_t now_ms,
				     bool (*fits)(void *ctx, const char *class), void *ctx,
				     uint64_t *ret_wait_ms);
/* A job of the tenant is held although it was not taken here (found on a node); or is held no more. */
void fleet_queue_held(struct fleet_queue *q, const char *tenant);
void fleet_queue_released(struct fleet_queue *q, const char *tenant);
/* Entries of the lane that wait. */
size_t fleet_queue_waiting(const struct fleet_queue *q, const char *class, const char *tenant);
bool fleet_queue_is_empty(const struct fleet_queue *q);

#endif
