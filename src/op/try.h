/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations on experiments share: parameters, results, from arguments to a request. */
#ifndef OP_TRY_H
#define OP_TRY_H

#include "flow/try.h"
#include "op/op.h"

extern const char *const try_prefer_names[];

/* Of the arguments of `try` or `experiment open`, from which both borrow; RET has RUN. */
int op_try_request(const json_t *args, struct run_wish *run, struct try_request *ret, struct aisbx_error *e);
void op_try_request_finish(struct try_request *req);

/* Adds what became of a winner to RESULT, and what a command line exits with then to CTX. */
void op_add_try_promotion(struct op_context *ctx, const struct try_promotion *p, json_t *result);

/* Parameters that `try` and `experiment open` have in common, and those of every run. */
#define TRY_JUDGE_PARAMS                                                                                    \
	{                                                                                                   \
		"test",    0,                                                                               \
		OP_STRING, OP_MODEL,                                                                        \
		"COMMAND", "a shell command that must succeed; default: the project's own way to test"      \
	},                                                                                                  \
		{ "mode",                                                                                   \
		  0,                                                                                        \
		  OP_CHOICE,                                                                                \
		  OP_MODEL,                                                                                 \
		  "MODE",                                                                                   \
		  "who wins: the best of all that pass (default), the first that does; all: only compare",  \
		  project_mode_names },                                                                     \
		{ "experiment", 0,                                                                          \
		  OP_STRING,    0,                                                                          \
		  "NAME",       "as the project's aisbx.yaml has it; options say otherwise" },              \
		{ "gate",                                                                                   \
		  0,                                                                                        \
		  OP_LIST,                                                                                  \
		  0,                                                                                        \
		  "CHECK",                                                                                  \
		  "must hold as well: a gate of the project's aisbx.yaml, an intent or an expression; may " \
		  "be given again" },                                                                       \
		{ "score",                                                                                  \
		  0,                                                                                        \
		  OP_STRING,                                                                                \
		  0,                                                                                        \
		  "EXPRESSION",                                                                             \
		  "what branches are compared by: facts as in gates; default: how long the test took" },    \
		{ "prefer",        0,                                                                       \
		  OP_CHOICE,       0,                                                                       \
		  "WHICH",         "whether the least (default) or the most of the score is best",          \
		  try_prefer_names },                                                                       \
	{                                                                                                   \
		"repeat", 0, OP_NUMBER, OP_MODEL, "K",                                                      \
			"test each K times; one that fails sometimes has not passed"                        \
	}
#define TRY_BASE_PARAM                                                 \
	{                                                              \
		"box", 'b', OP_STRING, OP_MODEL, "BOX[@SNAPSHOT]",     \
			"start from it; default: the project as it is" \
	}

#define TRY_BRANCH_FIELDS(at)                                                                         \
	{ at "n", "integer", "its place in what was asked, from 1" },                                 \
		{ at "name", "string", "as given, or its number", .model = true },                    \
		{ at "command", "string", "as given" },                                               \
		{ at "box", "string|null", "its box; null: it was removed" },                         \
		{ at "snapshot", "string|null", "of the box: what was judged" },                      \
		{ at "state", "string",                                                               \
		  "winner, passed, failed, flaky (passed some of its tests), stopped or waiting",     \
		  .model = true },                                                                    \
		{ at "rank", "integer|null", "among those that passed, from 1" },                     \
		{ at "runs", "array", "ids of its runs: the command, then the tests" },               \
		{ at "wall_ms", "number", "from start to end" },                                      \
		{ at "cpu_ms", "number", "of all its runs" },                                         \
		{ at "mem_peak", "integer", "most memory of one of its runs, bytes" },                \
		{ at "tests", "object|null",                                                          \
		  "how many passed, failed, were skipped, if the runner says so" },                   \
		{ at "changes", "object|null", "how many files it created, modified, deleted" },      \
		{ at "score", "number|null",                                                          \
		  "by what it is compared: --score, or the milliseconds of its test" },               \
		{ at "passed_of", "string|null", "how many of its tests passed: 3/3" },               \
		{ at "why", "string", "why it is not the winner; empty when there is nothing to say", \
		  .model = true },                                                                    \
		{ at "stdout_tail", "string", "the last of what its last run wrote", .model = true }, \
	{                                                                                             \
		at "stderr_tail", "string", "as stdout_tail", .model = true                           \
	}

#define EXPERIMENT_PARAM                                                               \
	{                                                                              \
		"experiment", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "EXPERIMENT", \
			"its id; the beginning is enough"                              \
	}
#define EXPERIMENT_FIELDS(at)                                                                         \
	{ at "experiment", "string", "its id" },                                                      \
		{ at "name", "string", "in the project's file; empty: none" },                        \
		{ at "mode", "string", "first, best or all" },                                        \
		{ at "state", "string",                                                               \
		  "running, open, or as it ended: won, none, compared, budget, interrupted, error" }, \
		{ at "project", "string", "directory it was made in" },                               \
		{ at "created_ms", "integer", "milliseconds since 1970" },                            \
		{ at "ended_ms", "integer|null", "milliseconds since 1970" },                         \
		{ at "winner", "string|null", "name of the branch" },                                 \
		{ at "box", "string|null", "the winner's" },                                          \
		{ at "branches", "array", "in their order, or ranked when it has ended" },            \
		TRY_BRANCH_FIELDS(at "branches[].")

#endif
