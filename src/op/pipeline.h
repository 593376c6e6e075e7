/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations on pipelines share. Inside op/ only. */
#ifndef OP_PIPELINE_H
#define OP_PIPELINE_H

#include "flow/pipeline.h"
#include "op/op.h"
#include "promote/commit_identity.h"

/* Who works on a pipeline on behalf of a context, which hears of each state. */
struct op_callbacks {
	struct git_identity who; /* owned */
	struct pipeline_callbacks callbacks;
};

int op_callbacks_init(struct op_context *ctx, struct op_callbacks *ret, struct aisbx_error *e);
void op_callbacks_finish(struct op_callbacks *h);

json_t *op_pipeline_json(struct store *s, const struct store_pipeline *row);
/* What a command line should exit with. */
int op_pipeline_status(const struct store_pipeline *row);
/* Continues P, and returns its state. */
int op_pipeline_drive(struct op_context *ctx, struct pipeline *p, json_t **ret, struct aisbx_error *e);

#define PIPELINE_PARAM                                                             \
	{                                                                          \
		"pipeline", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "PIPELINE", \
			"pipeline id; a prefix is enough"                          \
	}
#define CONFLICT_PARAM                                                             \
	{                                                                          \
		"conflict", 0, OP_CHOICE, 0, "HOW",                                \
			"when undoing: files that changed since: stop (default), " \
			"keep or overwrite them",                                  \
			op_resolutions                                             \
	}
#define GATE_FIELDS(at)                                                                        \
	{ at "passed", "boolean", "all checks hold" }, { at "checks", "array", "the checks" }, \
		{ at "checks[].check", "string", "as written" },                               \
		{ at "checks[].passed", "boolean", "it holds" },                               \
	{                                                                                      \
		at "checks[].why", "string|null", "an explanation for people"                  \
	}
#define PIPELINE_FIELDS(at)                                                                                  \
	{ at "pipeline", "string", "its id", .model = true },                                                \
		{ at "state", "string",                                                                      \
		  "running (or interrupted: see 'live'), waiting, done, stopped or undone", .model = true }, \
		{ at "live", "boolean",                                                                      \
		  "a process works on it, or on another pipeline of its project, now" },                     \
		{ at "box", "string", "name of its box", .model = true },                                    \
		{ at "snapshot", "string", "id of the snapshot" },                                           \
		{ at "project", "string", "directory whose aisbx.yaml defines the stages" },                 \
		{ at "back", "boolean", "it is being undone, or was" },                                      \
		{ at "created_ms", "integer", "milliseconds since 1970" },                                   \
		{ at "stages", "array", "in order", .model = true },                                         \
		{ at "stages[].stage", "string", "its name", .model = true },                                \
		{ at "stages[].state", "string",                                                             \
		  "pending, judging, waiting (for a person), applying, clearing, checking, passed, "         \
		  "undoing, undone, failed or stuck (a "                                                     \
		  "a person must look)",                                                                     \
		  .model = true },                                                                           \
		{ at "stages[].why", "string|null", "an explanation for people", .model = true },            \
		{ at "stages[].promotion", "string|null", "id of the promotion to its target" },             \
		{ at "stages[].begun_ms", "integer|null", "milliseconds since 1970" },                       \
		{ at "stages[].ended_ms", "integer|null", "milliseconds since 1970" },                       \
		{ at "stages[].target", "object", "its target, and what would change there" },               \
		{ at "stages[].target.kind", "string", "directory, branch or command" },                     \
		{ at "stages[].target.where", "string", "which" },                                           \
		{ at "stages[].target.summary", "object", "number of changes of each kind; see promote" },   \
		{ at "stages[].target.traps", "array", "changes that would run code later; see promote" },   \
		{ at "stages[].target.conflicts", "array", "changed on both sides; see promote" },           \
		{ at "stages[].before", "object", "result of its gates for the change" },                    \
		GATE_FIELDS(at "stages[].before."),                                                          \
		{ at "stages[].after", "object", "result of its gates for the target afterwards" },          \
		GATE_FIELDS(at "stages[].after."),                                                           \
		{ at "stages[].commit", "string", "id of the commit on its branch" },                        \
		{ at "stages[].output", "string", "last lines of its command's output" },                    \
		{ at "stages[].approval", "object|null", "the decision of a person" },                       \
		{ at "stages[].approval.approved", "boolean", "true: approved" },                            \
		{ at "stages[].approval.name", "string", "who" },                                            \
		{ at "stages[].approval.uid", "integer", "user id of the person" },                          \
		{ at "stages[].approval.way", "string", "approve, terminal, yes or asked" },                 \
		{ at "stages[].approval.note", "string", "as given" },                                       \
	{                                                                                                    \
		at "stages[].approval.time_ms", "integer", "milliseconds since 1970"                         \
	}

#endif
