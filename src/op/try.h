/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations on experiments share: parameters, results, conversion of arguments to a request. */
#ifndef OP_TRY_H
#define OP_TRY_H

#include "flow/try.h"
#include "op/op.h"

extern const char *const try_prefer_names[];

/* From the arguments of `try` or `experiment open`, from which both borrow; RET has RUN. */
int op_try_request(const json_t *args, struct run_options *run, struct try_request *ret,
		   struct aisbx_error *e);
void op_try_request_finish(struct try_request *req);

/* Adds what became of a winner to RESULT, and what a command line exits with then to CTX. */
void op_add_try_promotion(struct op_context *ctx, const struct try_promotion *p, json_t *result);

/* Parameters that `try` and `experiment open` have in common, and those of every run. */
#define TRY_JUDGE_PARAMS                                                                                     \
	{ "test",   0,         OP_STRING,                                                                    \
	  OP_MODEL, "COMMAND", "shell command that must succeed; default: the project's own test command" }, \
		{ "mode",                                                                                    \
		  0,                                                                                         \
		  OP_CHOICE,                                                                                 \
		  OP_MODEL,                                                                                  \
		  "MODE",                                                                                    \
		  "which branch wins: the best of all that pass (default), or the first that passes; all: "  \
		  "only compare",                                                                            \
		  project_mode_names },                                                                      \
		{ "experiment", 0,                                                                           \
		  OP_STRING,    0,                                                                           \
		  "NAME",       "as defined in the project's aisbx.yaml; options override it" },             \
		{ "gate",                                                                                    \
		  0,                                                                                         \
		  OP_LIST,                                                                                   \
		  0,                                                                                         \
		  "CHECK",                                                                                   \
		  "must hold as well: a gate of the project's aisbx.yaml, an intent or an expression; can "  \
		  "be repeated" },                                                                           \
		{ "score",                                                                                   \
		  0,                                                                                         \
		  OP_STRING,                                                                                 \
		  0,                                                                                         \
		  "EXPRESSION",                                                                              \
		  "expression to compare branches by: facts as in gates; default: the time of the test" },   \
		{ "prefer",        0,                                                                        \
		  OP_CHOICE,       0,                                                                        \
		  "WHICH",         "whether the lowest (default) or the highest score is best",              \
		  try_prefer_names },                                                                        \
	{                                                                                                    \
		"repeat", 0, OP_NUMBER, OP_MODEL, "K",                                                       \
			"run the test K times; a branch that fails any of them does not pass"                \
	}
#define TRY_BASE_PARAM                                                  \
	{                                                               \
		"box", 'b', OP_STRING, OP_MODEL, "BOX[@SNAPSHOT]",      \
			"where to start; default: the project as it is" \
	}

#define TRY_BRANCH_FIELDS(at)                                                                         \
	{ at "n", "integer", "position on the command line, from 1" },                                \
		{ at "name", "string", "as given, or its position", .model = true },                  \
		{ at "command", "string", "as given" },                                               \
		{ at "box", "string|null", "its box; null: removed" },                                \
		{ at "snapshot", "string|null", "snapshot of the box that was judged" },              \
		{ at "state", "string",                                                               \
		  "winner, passed, failed, flaky (passed some of its tests), stopped or waiting",     \
		  .model = true },                                                                    \
		{ at "rank", "integer|null", "rank among those that passed, from 1" },                \
		{ at "runs", "array", "run ids: the command, then the tests" },                       \
		{ at "wall_ms", "number", "time from start to end" },                                 \
		{ at "cpu_ms", "number", "of all its runs" },                                         \
		{ at "mem_peak", "integer", "peak memory of its runs, bytes" },                       \
		{ at "tests", "object|null",                                                          \
		  "numbers of passed, failed and skipped tests, if the runner reports them" },        \
		{ at "changes", "object|null", "numbers of created, modified and deleted files" },    \
		{ at "score", "number|null",                                                          \
		  "value it is compared by: --score, or the milliseconds of its test" },              \
		{ at "passed_of", "string|null", "how many of its tests passed: 3/3" },               \
		{ at "why", "string", "why it did not win; may be empty", .model = true },            \
		{ at "stdout_tail", "string", "last lines of its last run's output", .model = true }, \
	{                                                                                             \
		at "stderr_tail", "string", "as stdout_tail", .model = true                           \
	}

#define EXPERIMENT_PARAM                                                               \
	{                                                                              \
		"experiment", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "EXPERIMENT", \
			"experiment id; a prefix is enough"                            \
	}
#define EXPERIMENT_FIELDS(at)                                                                                \
	{ at "experiment", "string", "its id" }, { at "name", "string", "name in aisbx.yaml; empty: none" }, \
		{ at "mode", "string", "first, best or all" },                                               \
		{ at "state", "string",                                                                      \
		  "running, open, or its outcome: won, none, compared, budget, interrupted, error" },        \
		{ at "project", "string", "directory it was made in" },                                      \
		{ at "created_ms", "integer", "milliseconds since 1970" },                                   \
		{ at "ended_ms", "integer|null", "milliseconds since 1970" },                                \
		{ at "winner", "string|null", "name of the branch" },                                        \
		{ at "box", "string|null", "the winner's box" },                                             \
		{ at "branches", "array", "in the given order, or ranked after the end" },                   \
		TRY_BRANCH_FIELDS(at "branches[].")

#endif
