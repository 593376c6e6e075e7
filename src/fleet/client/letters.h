/* SPDX-License-Identifier: Apache-2.0 */
/* Dead letters, as the active hub hands them out: those of a tenant, or of all for admins. */
#ifndef FLEET_CLIENT_LETTERS_H
#define FLEET_CLIENT_LETTERS_H

#include <jansson.h>

#include "fleet/agent/options.h"
#include "fleet/wire/wire.h"

/* As an admin with --all-tenants, else as the tenant. */
int letters_connect(const struct fleet_options *o, struct bus **ret, struct aisbx_error *e);
/* Rows of the hub: all, or those of JOB (NULL: all); a new reference. */
int letters_list(struct bus *bus, const struct fleet_options *o, const char *job, json_t **ret,
		 struct aisbx_error *e);
/* The one row of JOB; borrowed from ROWS, which is a new reference. */
int letters_find(struct bus *bus, const struct fleet_options *o, const char *job, json_t **ret_rows,
		 const json_t **ret, struct aisbx_error *e);
/* The whole letter of a row; RET needs wire_letter_finish. */
int letters_read(struct bus *bus, const json_t *row, struct wire_letter *ret, struct aisbx_error *e);
/* Takes the letter of a row away. */
int letters_forget(struct bus *bus, const json_t *row, struct aisbx_error *e);

#endif
