/* SPDX-License-Identifier: Apache-2.0 */
/* What people do with a fleet: run something on it, wait, cancel, look. All return an exit status, or a
 * negative errno with E. */
#ifndef FLEET_CLIENT_CLIENT_H
#define FLEET_CLIENT_CLIENT_H

#include "fleet/agent/options.h"
#include "fleet/agent/saved.h"

/* Options of --on, beside those of the operation. */
#define CLIENT_ON_OPTIONS "on|nats|creds|ca|hub-keys|tenant|priority|attempts|deadline|or-here|once|detach"

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

/* The submitter's table. RET_DIR: where it is, for locks. */
int client_table_open(struct saved **ret, char *ret_dir, size_t cap, struct aisbx_error *e);

/* One command follows a job at a time: -EBUSY, and E unchanged, if another does. */
int client_job_lock(const char *dir, const char *id, int *ret_fd, struct aisbx_error *e);
void client_job_unlock(const char *dir, const char *id, int fd); /* -1 is allowed */

#endif
