/* SPDX-License-Identifier: Apache-2.0 */
/* A call that is prepared before it is asked for, by who expects one like the last: its box is made, and
 * waits. */
#ifndef OP_AHEAD_H
#define OP_AHEAD_H

#include <jansson.h>

#include "op/op.h"

/* What of the checked ARGS is known before the next such call; a new reference. NULL: it cannot be prepared.
 */
json_t *op_ahead_args(const struct op *op, const json_t *args);
/* Makes the box of a call with those. Then op_call with the same CTX uses it, once. An error: there is none.
 */
int op_ahead_make(const struct op *op, struct op_context *ctx, const json_t *args, struct aisbx_error *e);
/* There is no such call. */
void op_ahead_drop(struct op_context *ctx);

#endif
