/* SPDX-License-Identifier: Apache-2.0 */
/* A node in figures. */
#include "fleet/core/node_part.h"

void fleet_node_sums(const struct fleet_node *n, struct fleet_node_sums *ret)
{
	*ret = (struct fleet_node_sums){ .slots = n->options.slots,
					 .failed_starts = n->failed_starts,
					 .draining = n->draining,
					 .failing = n->failed_starts >= n->options.failing_after,
					 .lease_ms = n->options.lease_ms };
	for (size_t i = 0; i < n->n_held; i++) {
		const enum held_state state = n->held[i]->state;

		ret->waits += state == HELD_WAITS || state == HELD_ASKS;
		ret->runs += state == HELD_RUNS || state == HELD_DIES;
		ret->writes += state == HELD_WRITES;
	}
}
