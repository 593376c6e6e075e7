/* SPDX-License-Identifier: Apache-2.0 */
/* One job, from when it is submitted, or found in the table, until its result is shown. */
#ifndef FLEET_CLIENT_JOB_H
#define FLEET_CLIENT_JOB_H

#include "cli/cli.h"
#include "fleet/agent/options.h"
#include "fleet/agent/saved.h"
#include "fleet/client/project.h"

struct run_secrets;

struct job_options {
	const struct fleet_options *fleet; /* whom it trusts; borrowed, as all here */
	const struct op *op;               /* NULL: the result says which */
	struct cli_common common;
	bool detach, reads;
	bool known;              /* it is in the table: SAVED */
	struct saved_job *saved; /* of KNOWN; else of a new job only its saved.job */
	struct saved *table;
	struct bus *bus;
	struct client_project project;
	const struct run_secrets *secrets; /* NULL: none */
	bool *ret_accepted;                /* NULL is allowed: set when it is in the queue, or has ended */
};

/* Returns the exit status, or a negative errno. */
int job_follow(const struct job_options *options, struct aisbx_error *e);

#endif
