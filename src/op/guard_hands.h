/* SPDX-License-Identifier: Apache-2.0 */
/* Whom the guard tells, and asks. */
#ifndef OP_GUARD_HANDS_H
#define OP_GUARD_HANDS_H

#include "guard/act.h"
#include "op/op.h"

/* What the hands are given. */
struct op_guard_ctx {
	struct op_context *ctx; /* borrowed */
	json_t *result;         /* borrowed; what is told before the end; NULL: nothing */
};

extern const struct guard_hands op_guard_hands;

#endif
