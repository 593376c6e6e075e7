/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of an experiment share: how it is judged, its branches, its end. Inside op/ only. */
#ifndef OP_TRY_H
#define OP_TRY_H

#include <stdatomic.h>

#include "box/box.h"
#include "flow/crew.h"
#include "op/gate.h"
#include "op/op.h"
#include "policy/expr.h"

#define TRY_MAX_BRANCHES 256u
#define TRY_MAX_REPEAT   1000u

extern const char *const try_mode_names[]; /* as enum project_mode */
extern const char *const try_prefer_names[];

/* Runs that may still be started by all branches together; in memory that they share. */
struct try_allowance {
	atomic_ullong used;
	uint64_t most; /* 0: any number */
};

/*
 * How branches are judged. HOW is all of it as JSON, so that it can be kept: {"mode", "repeat", "most",
 * "score", "gates", "experiment", "test": {"command", "env", "cwd", "timeout", "runner", "box-judges"} or
 * null, "run": what every run is called with, "project"}.
 */
struct try_judge {
	json_t *how;                     /* owned */
	struct project project;          /* as the person's own file is */
	struct project_checks own;       /* of "gates" */
	struct project_checks all;       /* those and the experiment's of the file; only the list is owned */
	struct expr *score;              /* owned; NULL: time */
	struct try_allowance *allowance; /* borrowed; NULL: any number */
};

void try_judge_finish(struct try_judge *j);
/* ARGS with what the experiment of the project's file says where they say nothing; a new reference in RET. */
int try_args_complete(const struct op_context *ctx, const json_t *args, json_t **ret, struct aisbx_error *e);
/* By the arguments of `try` or `experiment open`. */
int try_judge_read(const struct op_context *ctx, const json_t *args, struct try_judge *ret,
		   struct aisbx_error *e);
/* By what was kept of it. */
int try_judge_load(const char *how, struct try_judge *ret, struct aisbx_error *e);
bool try_judge_is_first(const struct try_judge *j);
/* Of {"name"}: there, not too long, and no two alike. */
int try_check_names(const json_t *branches, struct aisbx_error *e);

/*
 * One branch on its way. RECORD is what is told of it: {"state", "runs", "run" (the live one, or null),
 * "wall_ms", "cpu_ms", "mem_peak", "tests", "changes", "score", "passed_of", "why", "stdout_tail",
 * "stderr_tail"}.
 */
struct try_branch {
	struct op_context ctx; /* without input, with the output in results; tells of runs */
	const struct try_judge *judge;
	const char *box;
	const char *forks;                  /* what names of its forks begin with */
	char point[2 * STORE_NAME_MAX];     /* as it is judged: a snapshot of it; "": not yet */
	json_t *record;                     /* owned */
	json_t *results;                    /* owned; of its runs */
	json_t *tested;                     /* owned; of the last test; NULL: none */
	void (*told)(struct try_branch *b); /* NULL, or hears when the record changed */
	void *told_ctx;
};

void try_branch_init(struct try_branch *b, const struct op_context *ctx, const struct try_judge *judge,
		     const char *box, const char *forks);
void try_branch_finish(struct try_branch *b);
/* The command; false: it has not gone well, and the record says why. */
bool try_branch_run(struct try_branch *b, const json_t *command);
/* Tests and gates, in forks of its box, what changed, and the score; true: it has passed. */
bool try_branch_judge(struct try_branch *b);
/* Sets the state and why, and tells. */
void try_branch_become(struct try_branch *b, const char *state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Boxes of experiment ID begin with its id. */
int try_boxes_make(struct op_context *ctx, const json_t *args, const char *id, size_t n, json_t **ret_boxes,
		   struct aisbx_error *e);
/* Removes those of the experiment but KEEP, an array of names; errors are not told: gc comes by. */
void try_boxes_drop(const char *id, const json_t *keep);

/*
 * Sorts records of branches ("n", "state", "score") by how good they are and gives each that passed its
 * rank.
 */
void try_rank(const struct try_judge *j, json_t *records);
/* How the best differs from the others that passed; records with their boxes, ranked. */
json_t *try_differences(struct op_context *ctx, const json_t *records);
/* "BOX@SNAPSHOT" of a record: what of it was judged; heap, or NULL. */
char *try_point(const json_t *record);
/* POINT into the project, through its stages if it has some. Puts "promotion" or "pipeline" into RESULT. */
int try_promote(struct op_context *ctx, const struct try_judge *j, const char *point, json_t *result,
		struct aisbx_error *e);

/*
 * The row of an experiment, in STATE. BRANCHES: {"name", "command"}; BOXES, as `fork` tells them, may be
 * NULL.
 */
int try_write_down(const struct try_judge *j, const char *id, const char *name, const char *state,
		   const json_t *branches, const json_t *boxes, struct aisbx_error *e);
/* Its end; of RESULT what was written, which may be secret and is long, is not kept: rows are for years. */
void try_write_end(const char *id, const json_t *result);

/*
 * Held while a process attends to the experiment: who gets it from a dead one may clear up. -EBUSY, with E
 * as it was.
 */
int try_lock(const char *state_dir, const char *id, int *ret_fd, struct aisbx_error *e);
void try_unlock(const char *state_dir, const char *id, int *fd);
/* Ends experiments whose process was killed, with their boxes; how many. */
size_t try_collect(void);

/* Parameters that `try` and `experiment open` have in common, and those of every run. */
#define TRY_JUDGE_PARAMS                                                                                   \
	{ .name = "test",                                                                                  \
	  .type = OP_STRING,                                                                               \
	  .value = "COMMAND",                                                                              \
	  .model = true,                                                                                   \
	  .help = "a shell command that must succeed; default: the project's own way to test" },           \
		{ .name = "mode",                                                                          \
		  .type = OP_CHOICE,                                                                       \
		  .choices = try_mode_names,                                                               \
		  .value = "MODE",                                                                         \
		  .model = true,                                                                           \
		  .help = "who wins: the best of all that pass (default), the first that does; all: only " \
			  "compare" },                                                                     \
		{ .name = "experiment",                                                                    \
		  .type = OP_STRING,                                                                       \
		  .value = "NAME",                                                                         \
		  .help = "as the project's aisbx.yaml has it; options say otherwise" },                   \
		{ .name = "gate",                                                                          \
		  .type = OP_LIST,                                                                         \
		  .value = "CHECK",                                                                        \
		  .help = "must hold as well: a gate of the project's aisbx.yaml, an intent or an "        \
			  "expression; may be given again" },                                              \
		{ .name = "score",                                                                         \
		  .type = OP_STRING,                                                                       \
		  .value = "EXPRESSION",                                                                   \
		  .help = "what branches are compared by: facts as in gates; default: how long the test "  \
			  "took" },                                                                        \
		{ .name = "prefer",                                                                        \
		  .type = OP_CHOICE,                                                                       \
		  .choices = try_prefer_names,                                                             \
		  .value = "WHICH",                                                                        \
		  .help = "whether the least (default) or the most of the score is best" },                \
	{                                                                                                  \
		.name = "repeat", .type = OP_NUMBER, .value = "K", .model = true,                          \
		.help = "test each K times; one that fails sometimes has not passed"                       \
	}
#define TRY_BASE_PARAM                                                                                     \
	{                                                                                                  \
		.name = "box", .letter = 'b', .type = OP_STRING, .value = "BOX[@SNAPSHOT]", .model = true, \
		.help = "start from it; default: the project as it is"                                     \
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

#endif
