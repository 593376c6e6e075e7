/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on plans share. */
#ifndef OP_PLAN_H
#define OP_PLAN_H

#include "flow/plan.h"
#include "op/op.h"

json_t *op_plan_json(const struct store_plan *p);

#define PLAN_PARAM                                                                                       \
	{                                                                                                \
		"plan", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "PLAN", "plan id; a prefix is enough" \
	}
#define PLAN_FIELDS(at)                                                                                     \
	{ at "plan", "string", "its id", .model = true },                                                   \
		{ at "goal", "string", "as given", .model = true },                                         \
		{ at "state", "string", "open, running, failed (a step failed) or done", .model = true },   \
		{ at "box", "string|null",                                                                  \
		  "id of the box its steps run in; null: each in a box of its own" },                       \
		{ at "project", "string", "directory it was made in" },                                     \
		{ at "created_ms", "integer", "milliseconds since 1970" },                                  \
		{ at "steps", "array", "in order", .model = true },                                         \
		{ at "steps[].step", "integer", "from 1", .model = true },                                  \
		{ at "steps[].what", "string", "as given", .model = true },                                 \
		{ at "steps[].kind", "string", "intent or command" },                                       \
		{ at "steps[].state", "string", "pending, running, ok, failed or skipped", .model = true }, \
		{ at "steps[].run", "string|null", "id of its last run; see history", .model = true },      \
		{ at "steps[].exit_code", "integer|null", "of that run", .model = true },                   \
		{ at "steps[].note", "string|null", "why there was no run", .model = true },                \
		{ at "steps[].begun_ms", "integer|null", "milliseconds since 1970" },                       \
	{                                                                                                   \
		at "steps[].ended_ms", "integer|null", "milliseconds since 1970"                            \
	}

#endif
