/* SPDX-License-Identifier: Apache-2.0 */
/* From the stream of history to the tables: what was fetched is acknowledged when it is committed. */
#ifndef FLEET_COLLECT_COLLECTOR_H
#define FLEET_COLLECT_COLLECTOR_H

#include <stdbool.h>

#include "fleet/bus/stream.h"
#include "fleet/collect/centre.h"

struct collector {
	struct bus_options bus;
	const char *postgres;      /* borrowed */
	struct bus_stream *stream; /* owned, as the next one; NULL: to be opened */
	struct centre centre;
};

/* Opens what is not open. */
int collector_prepare(struct collector *c, struct aisbx_error *e);
/* Takes what is there, waiting for the first message. *RET_N: how many messages; 0: none came. After an error
 * it is closed, and the next call of collector_prepare opens it again: messages that were not acknowledged
 * come again. */
int collector_turn(struct collector *c, uint64_t wait_ms, size_t *ret_n, struct aisbx_error *e);
void collector_finish(struct collector *c);

#endif
