/* SPDX-License-Identifier: Apache-2.0 */
/* What a stream as a log is made of. Inside the room only. */
#ifndef FLEET_BUS_STREAM_PARTS_H
#define FLEET_BUS_STREAM_PARTS_H

#include <nats/nats.h>

#include "fleet/bus/stream.h"

struct bus_stream {
	char *name;                 /* owned */
	natsConnection *connection; /* owned, as all below */
	jsCtx *js;
	natsSubscription *pull; /* NULL: nothing is consumed yet */
};

/* WHAT failed with STATUS and the server's CODE, or 0. */
int bus_stream_fail(struct bus_stream *s, natsStatus status, int code, struct aisbx_error *e,
		    const char *what);

#endif
