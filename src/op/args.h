/* SPDX-License-Identifier: Apache-2.0 */
/* Turning the checked arguments of `run` into a request. */
#ifndef OP_ARGS_H
#define OP_ARGS_H

#include "box/box.h"
#include "op/op.h"

/* The options that set a limit, as rows of a table of parameters. */
#define OP_TYPE_TIME    OP_DURATION
#define OP_TYPE_SIZE    OP_SIZE
#define OP_TYPE_CORES   OP_CORES
#define OP_TYPE_NUMBER  OP_NUMBER
#define OP_VALUE_TIME   "TIME"
#define OP_VALUE_SIZE   "SIZE"
#define OP_VALUE_CORES  "N"
#define OP_VALUE_NUMBER "N"
#define OP_LIMIT_PARAM(id, option, unit, shortcut, none, least, needs, words) \
	{ .name = option,                                                     \
	  .letter = shortcut,                                                 \
	  .type = OP_TYPE_##unit,                                             \
	  .value = OP_VALUE_##unit,                                           \
	  .help = words,                                                      \
	  .model = LIMIT_##id == LIMIT_WALL_TIME },
#define OP_LIMIT_PARAMS PROFILE_LIMITS(OP_LIMIT_PARAM)

/* Which profile is meant: by option, of the box (NULL: none), by AISBX_PROFILE, or dev; RET_FROM: which of
 * these, in a word. */
const char *op_profile_ref(const struct op_context *ctx, const json_t *args, const char *of_box,
			   const char **ret_from);
/* What options change of a profile. */
int op_profile_options(const json_t *args, struct profile *p, struct aisbx_error *e);

/* Fills REQ, which keeps what it needs; the caller finishes it also after an error. */
int op_run_request(const struct op_context *ctx, const json_t *args, struct box_request *req,
		   struct aisbx_error *e);

#endif
