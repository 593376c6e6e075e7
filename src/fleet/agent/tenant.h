/* SPDX-License-Identifier: Apache-2.0 */
/* The boxes of one tenant on this node: a store of their own, and one `aisbx rpc` below a watchdog. */
#ifndef FLEET_AGENT_TENANT_H
#define FLEET_AGENT_TENANT_H

#include <jansson.h>

#include "fleet/agent/loop.h"

struct tenant;

struct tenant_listener {
	void *ctx;
	void (*said)(void *ctx, struct tenant *t, const json_t *message);
	/* No process of it is left. T is no more after this call. */
	void (*gone)(void *ctx, struct tenant *t);
};

/* DIR: of the node. UNTIL_MS: the end of the lease. */
int tenant_open(struct loop *loop, const char *dir, const char *name, uint64_t until_ms,
		const struct tenant_listener *listener, struct tenant **ret, struct aisbx_error *e);
const char *tenant_name(const struct tenant *t);
/* Where its calls run: an empty directory, the project of boxes that have no other. */
const char *tenant_work(const struct tenant *t);
/* MESSAGE: a reference to keep. */
void tenant_send(struct tenant *t, json_t *message);
void tenant_lease(struct tenant *t, uint64_t until_ms);
/* All its boxes, at once; then it is gone. */
void tenant_kill(struct tenant *t);
/* It was killed, or broke down: it takes no more calls. */
bool tenant_is_ending(const struct tenant *t);
/* A child of this process has ended: perhaps its. */
void tenant_reap(struct tenant *t);
/* For the list of its owner. */
struct tenant **tenant_next(struct tenant *t);
/* When it had its last call; for its owner, too. */
uint64_t *tenant_idle_since(struct tenant *t);

#endif
