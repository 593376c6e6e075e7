/* SPDX-License-Identifier: Apache-2.0 */
/* `try --on LABELS`: each branch is a job, on whatever node; here they are compared, and the winner comes
 * home. */
#ifndef FLEET_CLIENT_SPREAD_H
#define FLEET_CLIENT_SPREAD_H

#include "cli/cli.h"
#include "fleet/agent/options.h"

struct spread_request {
	const struct fleet_options *fleet; /* borrowed, as all here */
	json_t *arguments;                 /* of `try` */
	struct cli_common common;
	bool promote;
	const char *project; /* where the winner is promoted */
	void *ctx;
	/* In a process of its own: a job with these arguments, whose result is printed as JSON. */
	int (*run)(void *ctx, json_t *arguments, struct aisbx_error *e);
};

/* Returns the exit status, or a negative errno. */
int client_spread(const struct spread_request *q, struct aisbx_error *e);

#endif
