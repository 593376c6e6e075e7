/* SPDX-License-Identifier: Apache-2.0 */
/* The stores of a node's tenants, DIR/TENANT/state, each with a place of its own in the fleet's history. */
#ifndef FLEET_HISTORY_TENANTS_H
#define FLEET_HISTORY_TENANTS_H

#include "fleet/history/outbox.h"

struct outbox_tenant;

/* {.dir = DIR} is an empty list. */
struct outbox_tenants {
	const char *dir;            /* borrowed */
	struct outbox_tenant *list; /* owned */
	size_t n, room;
};

void outbox_tenants_finish(struct outbox_tenants *t);
/*
 * SEND sends all of one store, which XDG_STATE_HOME then names, and is called for those that have changed
 * since it succeeded. OWN says node and stream. A tenant whose store cannot be sent keeps no other back: its
 * error is told, and the last one returned.
 */
int outbox_tenants_turn(struct outbox_tenants *t, const struct outbox *own,
			int (*send)(struct outbox *o, struct aisbx_error *e), struct aisbx_error *e);

#endif
