/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations on pipelines share. Inside op/ only. */
#ifndef OP_PIPELINE_H
#define OP_PIPELINE_H

#include "box/promote.h"
#include "flow/stage.h"
#include "op/op.h"
#include "policy/project.h"

/* One pipeline in somebody's hands. */
struct pipeline {
	struct op_context *ctx;  /* borrowed */
	struct op_context quiet; /* the same without input and output: for what gates run */
	struct box_shelf shelf;
	struct store_pipeline row;
	struct project project;         /* as its file was when the pipeline began */
	int lock;                       /* on the project: one at a time */
	bool bare;                      /* the stages are aisbx' own, and there are no tests for them */
	bool fresh;                     /* the state it stands at was reached by this process */
	enum merge_resolution applies;  /* what becomes of what was changed on both sides */
	enum merge_resolution conflict; /* of taking back: what becomes of files changed since */
};

#define PIPELINE_INIT      \
	{                  \
		.lock = -1 \
	}

void pipeline_finish(struct pipeline *p);
/* The pipeline KEY and its rules; with LOCK nobody else works on one of its project until pipeline_finish. */
int pipeline_open(struct op_context *ctx, const char *key, bool lock, struct pipeline *ret,
		  struct aisbx_error *e);
/* -EBUSY: somebody works on one of that project. */
int pipeline_lock(const char *project, int *ret_fd, struct aisbx_error *e);
/* The rules of P, by its row. */
int pipeline_read_rules(struct pipeline *p, struct aisbx_error *e);
enum pipeline_state pipeline_row_state(const struct store_pipeline *row);
json_t *pipeline_json(struct store *s, const struct store_pipeline *row);

/* pipeline_drive.c: goes on until it is over or waits for somebody, and says so in RET. */
int pipeline_drive(struct pipeline *p, json_t **ret, struct aisbx_error *e);
/* Writes down what EV makes of stage I, whole and on the disk, and tells of it. WHY NULL: as it was. Takes
 * DETAIL. */
int pipeline_move(struct pipeline *p, size_t i, enum stage_event ev, const char *why, json_t *detail,
		  struct aisbx_error *e);

/* What an act found. */
struct stage_note {
	char why[640];
	json_t *detail; /* owned; members of the stage's; NULL: none */
};

/*
 * Acts on stage I, each for one state. They return an event, PIPELINE_WAITS, or a negative errno when nobody
 * knows what to do but to try again.
 */
#define PIPELINE_WAITS STAGE_EVENT_COUNT
int pipeline_judge(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e);
int pipeline_ask(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e);
int pipeline_apply(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e);
int pipeline_clear(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e);
int pipeline_check(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e);
int pipeline_undo(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e);

/* pipeline_branch.c */
int pipeline_branch_check(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e);
int pipeline_branch_apply(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e);
/* pipeline_command.c */
int pipeline_command_apply(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e);
/* 0, or what the rollback command exited with; -ENOENT: there is none. */
int pipeline_command_rollback(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e);

/* Makes the change of REQ under the id the stage has; an event. */
int pipeline_promote(struct pipeline *p, size_t i, struct box_shelf *shelf, const struct store_box *box,
		     struct box_promote_request *req, struct stage_note *note, struct aisbx_error *e);
/* Who says so, as far as the system tells. */
void pipeline_who(const struct op_context *ctx, struct store_approval *a);
bool pipeline_is_approved(struct pipeline *p, size_t i);

#define PIPELINE_PARAM                                                                       \
	{                                                                                    \
		.name = "pipeline", .type = OP_STRING, .positional = true, .required = true, \
		.value = "PIPELINE", .help = "id of the pipeline; its beginning is enough"   \
	}
#define CONFLICT_PARAM                                                                                      \
	{                                                                                                   \
		.name = "conflict", .type = OP_CHOICE, .value = "HOW", .choices = op_resolutions,           \
		.help = "when taking back: what becomes of files that were changed since: stop (default), " \
			"keep or overwrite"                                                                 \
	}
#define GATE_FIELDS(at)                                                                             \
	{ at "passed", "boolean", "all of them hold" }, { at "checks", "array", "what was asked" }, \
		{ at "checks[].check", "string", "as written" },                                    \
		{ at "checks[].passed", "boolean", "it holds" },                                    \
	{                                                                                           \
		at "checks[].why", "string|null", "for a person"                                    \
	}
#define PIPELINE_FIELDS(at)                                                                                 \
	{ at "pipeline", "string", "its id", .model = true },                                               \
		{ at "state", "string",                                                                     \
		  "running (or cut off: 'live' tells), waiting, done, stopped or undone", .model = true },  \
		{ at "live", "boolean", "somebody works on it, or on another of its project, now" },        \
		{ at "box", "string", "name its box had", .model = true },                                  \
		{ at "snapshot", "string", "id of what goes through" },                                     \
		{ at "project", "string", "whose aisbx.yaml says which stages there are" },                 \
		{ at "back", "boolean", "it is being, or was, taken back" },                                \
		{ at "created_ms", "integer", "milliseconds since 1970" },                                  \
		{ at "stages", "array", "in their order", .model = true },                                  \
		{ at "stages[].stage", "string", "its name", .model = true },                               \
		{ at "stages[].state", "string",                                                            \
		  "pending, judging, waiting (for a person), applying, clearing, checking, passed, "        \
		  "undoing, undone, failed or stuck (a "                                                    \
		  "person must look)",                                                                      \
		  .model = true },                                                                          \
		{ at "stages[].why", "string|null", "for a person", .model = true },                        \
		{ at "stages[].promotion", "string|null", "id of what was put into its target" },           \
		{ at "stages[].begun_ms", "integer|null", "milliseconds since 1970" },                      \
		{ at "stages[].ended_ms", "integer|null", "milliseconds since 1970" },                      \
		{ at "stages[].target", "object", "where it goes, and what would change there" },           \
		{ at "stages[].target.kind", "string", "directory, branch or command" },                    \
		{ at "stages[].target.where", "string", "which" },                                          \
		{ at "stages[].target.summary", "object", "how many of each kind of change; see promote" }, \
		{ at "stages[].target.traps", "array", "changes that would run code later; see promote" },  \
		{ at "stages[].target.conflicts", "array", "changed on both sides; see promote" },          \
		{ at "stages[].before", "object", "what its gates said of what would go in" },              \
		GATE_FIELDS(at "stages[].before."),                                                         \
		{ at "stages[].after", "object", "what its gates said of its target then" },                \
		GATE_FIELDS(at "stages[].after."),                                                          \
		{ at "stages[].commit", "string", "id of the commit on its branch" },                       \
		{ at "stages[].output", "string", "the end of what its command wrote" },                    \
		{ at "stages[].approval", "object|null", "what a person said of it" },                      \
		{ at "stages[].approval.approved", "boolean", "yes or no" },                                \
		{ at "stages[].approval.name", "string", "who" },                                           \
		{ at "stages[].approval.uid", "integer", "user id" },                                       \
		{ at "stages[].approval.way", "string", "approve, terminal, yes or asked" },                \
		{ at "stages[].approval.note", "string", "as given" },                                      \
	{                                                                                                   \
		at "stages[].approval.time_ms", "integer", "milliseconds since 1970"                        \
	}

#endif
