/* SPDX-License-Identifier: Apache-2.0 */
/* A process that carries a tree for a node, so that the node itself never waits for a disk or a store. */
#ifndef FLEET_AGENT_CARRY_H
#define FLEET_AGENT_CARRY_H

#include <jansson.h>

#include "fleet/agent/content.h"
#include "fleet/agent/loop.h"

/* The hidden command of aisbx-fleet that this is. */
#define CARRY_VERB "__carry"

struct carrier;

/* What one carries; all is borrowed and needed for the call only. */
struct carry_request {
	struct content_place place;
	const char *state; /* XDG_STATE_HOME of the tenant's boxes */
	/* one of these three */
	const char *fetch;  /* a tree, to TO */
	const char *send;   /* the changes of this box */
	const char *remove; /* a directory */
	const char *to;
	const char *boxes; /* fetch: other boxes of jobs than those whose names begin so are removed */
	void *ctx;
	/* SAID: {"ok": ...} or {"error": {"kind", "code", "text"}}; NULL: it was killed. C is no more then.
	 */
	void (*done)(void *ctx, const json_t *said);
};

/* Of the names of boxes that nodes make for jobs. */
#define CARRY_BOX "job-"

int carrier_start(struct loop *loop, const struct carry_request *q, struct carrier **ret,
		  struct aisbx_error *e);
/* Kills it; DONE is not called. NULL is allowed. */
void carrier_stop(struct carrier *c);

/* The process itself: WORDS behind the verb. */
int carry_main(char **words);

#endif
