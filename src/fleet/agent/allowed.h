/* SPDX-License-Identifier: Apache-2.0 */
/* Which operations a job may use, and with which arguments: those that stay within boxes of the job's tenant.
 * What is not listed is refused. The submitter asks before it sends a job, and the node before it runs one.
 */
#ifndef FLEET_AGENT_ALLOWED_H
#define FLEET_AGENT_ALLOWED_H

#include <jansson.h>

#include "aisbx/error.h"

struct allowed_operation {
	const char *name;      /* as on the command line */
	const char *method;    /* of `aisbx rpc` */
	const char *arguments; /* "a|b": as in the operation table */
};

/* Ends with name NULL. */
extern const struct allowed_operation allowed_operations[];

/* ALLOW: NULL or "a,b": further operations by their method, which this node takes with any arguments. */
int allowed_check(const char *operation, const json_t *arguments, const char *allow, const char **ret_method,
		  struct aisbx_error *e);

#endif
