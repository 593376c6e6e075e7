/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on plans share. */
#ifndef OP_PLAN_H
#define OP_PLAN_H

#include "box/box.h"
#include "op/op.h"

/* Of the person, or of who is acted for. */
int op_plan_find(struct box_shelf *shelf, const char *key, struct store_plan *ret, struct aisbx_error *e);
json_t *op_plan_json(const struct store_plan *p);

#define PLAN_PARAM                                                                                        \
	{                                                                                                 \
		.name = "plan", .type = OP_STRING, .positional = true, .required = true, .value = "PLAN", \
		.help = "id of the plan; its beginning is enough"                                         \
	}
#define PLAN_FIELDS(at)                                                                                      \
	{ at "plan", "string", "its id" }, { at "goal", "string", "as given" },                              \
		{ at "state", "string", "open, running, failed (a step is), done" },                         \
		{ at "box", "string|null", "id of the box its steps run in; null: each in one of its own" }, \
		{ at "project", "string", "directory it was made in" },                                      \
		{ at "created_ms", "integer", "milliseconds since 1970" },                                   \
		{ at "steps", "array", "in their order" }, { at "steps[].step", "integer", "from 1" },       \
		{ at "steps[].what", "string", "as given" },                                                 \
		{ at "steps[].kind", "string", "intent or command" },                                        \
		{ at "steps[].state", "string", "pending, running, ok, failed or skipped" },                 \
		{ at "steps[].run", "string|null", "id of its last run; see history" },                      \
		{ at "steps[].exit_code", "integer|null", "of that" },                                       \
		{ at "steps[].note", "string|null", "why there was none" },                                  \
		{ at "steps[].begun_ms", "integer|null", "milliseconds since 1970" },                        \
	{                                                                                                    \
		at "steps[].ended_ms", "integer|null", "milliseconds since 1970"                             \
	}

#endif
