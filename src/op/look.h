/* SPDX-License-Identifier: Apache-2.0 */
/* Looking, as other operations use it. */
#ifndef OP_LOOK_H
#define OP_LOOK_H

#include "op/op.h"

struct look_outcome;

/* This process becomes the command, behind the glass. Returns only when that failed; then nothing but to exit
 * with *RET_STATUS is left. */
int op_look_become(const struct op_context *ctx, const char *cwd, char *const *words, int *ret_status,
		   struct aisbx_error *e);

/* What a command line exits with. */
int op_look_status(const struct look_outcome *o);
/* Adds "exit_status", "stdout" and "stderr". */
void op_look_json(const struct look_outcome *o, json_t *result);

#endif
