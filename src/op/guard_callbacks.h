/* SPDX-License-Identifier: Apache-2.0 */
/* Whom the guard tells, and asks. */
#ifndef OP_GUARD_CALLBACKS_H
#define OP_GUARD_CALLBACKS_H

#include "guard/act.h"
#include "op/op.h"

/* What the callbacks are given. */
struct op_guard_ctx {
	struct op_context *ctx; /* borrowed */
	json_t *result;         /* borrowed; what is told before the end; NULL: nothing */
};

extern const struct guard_callbacks op_guard_callbacks;

/* Acts as V says by these hands, and adds what came of it to RESULT. */
int op_guard_act(struct op_context *ctx, struct guard_session *g, const struct guard_verdict *v,
		 const struct strlist *command, json_t *result, struct aisbx_error *e);

#endif
