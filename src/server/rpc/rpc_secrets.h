/* SPDX-License-Identifier: Apache-2.0 */
/* Values of secrets that come beside the arguments of a call, so that they are in no argument and no variable
 * of a process. */
#ifndef SERVER_RPC_RPC_SECRETS_H
#define SERVER_RPC_RPC_SECRETS_H

#include <jansson.h>

#include "aisbx/error.h"

struct given_secret;

/* Of {NAME: value in base64}; borrows names from OBJECT. On success *RET ends with NAME NULL. */
int rpc_secrets_read(const json_t *object, struct given_secret **ret, struct aisbx_error *e);
/* Overwrites the texts of OBJECT, which may be anything, NULL, too. */
void rpc_secrets_wipe(json_t *object);
/* Overwrites the values. NULL is allowed. */
void rpc_secrets_drop(struct given_secret *list);

#endif
