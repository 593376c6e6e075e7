/* SPDX-License-Identifier: Apache-2.0 */
/* What people do with a fleet: run something on it, wait, cancel, look. All return an exit status, or a
 * negative errno with E. */
#ifndef FLEET_CLIENT_CLIENT_H
#define FLEET_CLIENT_CLIENT_H

#include <jansson.h>

#include "fleet/agent/options.h"
#include "fleet/agent/saved.h"

/* Options of --on, beside those of the operation. */
#define CLIENT_ON_OPTIONS                                                                               \
	"on|nats|creds|ca|hub-keys|tenant|priority|attempts|deadline|or-here|once|detach|project|base|" \
	"store|store-key"

/* `aisbx --on LABELS OPERATION ...` and `aisbx OPERATION --on LABELS ...`: WORDS without the program's name.
 */
int client_on(char **words, struct aisbx_error *e);
int client_wait(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int client_cancel(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int client_jobs(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int client_status(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int client_nodes(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int client_queue(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int client_drain(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int client_top(const struct fleet_options *o, char **rest, struct aisbx_error *e);

/* Dead letters: look, send again, take away. */
int client_dead(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int client_again(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int client_forget(const struct fleet_options *o, char **rest, struct aisbx_error *e);

int client_rpc(const struct fleet_options *o, char **rest, struct aisbx_error *e);

int client_mcp(const struct fleet_options *o, char **rest, struct aisbx_error *e);

/* Options of MCP alone. */
#define CLIENT_MCP_OPTIONS "tools|answer-within"
/* Of both, which are those of all their jobs. */
#define CLIENT_RPC_OPTIONS "on|or-here|nats|creds|ca|hub-keys|tenant|priority|attempts|deadline|once"

/* A new job with all but its body, as the options want it. */
int client_job_like(const struct fleet_options *fleet, struct fleet_job *job, struct aisbx_error *e);
/* "NAME" becomes "NAME=VALUE": the variable of this machine is meant. LIST may be NULL. */
int client_give_variables(json_t *list, struct aisbx_error *e);
/* Remembers the boxes of job ID, which has ended, and their node. */
void client_learn(struct saved *table, const char *dir, const char *id);

/* The history of all nodes: aisbx-collect takes the place of this program. */
int client_history(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int client_figures(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int client_conflicts(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int client_resolve(const struct fleet_options *o, char **rest, struct aisbx_error *e);

/* Where the submitter's table is. */
int client_table_dir(char *ret_dir, size_t cap, struct aisbx_error *e);
/* The submitter's table. RET_DIR: where it is, for locks. */
int client_table_open(struct saved **ret, char *ret_dir, size_t cap, struct aisbx_error *e);

/* One command follows a job at a time: -EBUSY, and E unchanged, if another does. */
int client_job_lock(const char *dir, const char *id, int *ret_fd, struct aisbx_error *e);
void client_job_unlock(const char *dir, const char *id, int fd); /* -1 is allowed */

#endif
