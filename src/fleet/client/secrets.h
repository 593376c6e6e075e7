/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets of one job: read here as for a run on this machine, kept in memory, and given to the node that runs
 * it when that asks. The job itself has only their names. */
#ifndef FLEET_CLIENT_SECRETS_H
#define FLEET_CLIENT_SECRETS_H

#include <jansson.h>

#include "fleet/agent/options.h"
#include "secret/secrets.h"

/* Takes what "secret" of ARGUMENTS says to RET, and leaves there what a job may have: each name, and how its
 * box gets it. Nothing is read yet. */
int client_secrets_take(const char *operation, json_t *arguments, struct run_secrets *ret,
			struct aisbx_error *e);
/* Whether a job may have any; and reads them. */
int client_secrets_check(const struct run_secrets *s, const struct fleet_options *o, struct aisbx_error *e);
int client_secrets_read(struct run_secrets *s, struct aisbx_error *e);
/* The answer to the node whose key for this is KEY. S NULL: there are none here. False: KEY is none. */
bool client_secrets_answer(const struct run_secrets *s, const char *key, struct buf *ret);

#endif
