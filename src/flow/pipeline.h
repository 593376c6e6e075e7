/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines: a snapshot of a box's changes on its way through the stages of its project, and back. */
#ifndef FLOW_PIPELINE_H
#define FLOW_PIPELINE_H

#include <jansson.h>

#include "box/caller.h"
#include "flow/stage.h"
#include "project/project.h"
#include "promote/apply.h"

/* The outcome of an action. */
struct stage_note {
	char why[640];
	json_t *detail; /* owned; members of the stage, as the store keeps them; NULL: none */
};

struct pipeline;
/*
 * What is done at stage I in one state. An event, PIPELINE_WAITS, or a negative errno if all that can be done
 * is to try again.
 */
typedef int pipeline_act(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e);
#define PIPELINE_WAITS STAGE_EVENT_COUNT

/* Who works on it. All of it is borrowed. */
struct pipeline_callbacks {
	const struct caller *by;
	const char *name, *email; /* who commits; NULL: nobody says */
	/* NULL, or hears of each new state. */
	void (*tell)(void *ctx, const struct store_pipeline *row, size_t i);
	/*
	 * What a target would become, as results tell of a promotion: {"summary", "traps", "conflicts"}, a
	 * new reference, which the record of the stage keeps. RUNS_LATER: NULL, or a path that is one more
	 * trap, because a stage runs it outside of any box.
	 */
	json_t *(*look_json)(const struct promote_report *look, const char *runs_later);
	void *ctx;
};

/* A pipeline that this process works on. */
struct pipeline {
	struct pipeline_callbacks callbacks;
	struct box_state state;
	struct store_pipeline row;
	struct project project; /* as the file was when the pipeline started */
	int lock;               /* on the project: one at a time */
	/* the stages are the default ones, and there are no tests for them */
	bool bare;
	bool fresh;                     /* this process reached the current state */
	enum merge_resolution applies;  /* what to do with files that changed on both sides */
	enum merge_resolution conflict; /* when undoing: what to do with files that changed since */
};

#define PIPELINE_INIT      \
	{                  \
		.lock = -1 \
	}

void pipeline_finish(struct pipeline *p);

struct pipeline_request {     /* borrowed */
	const char *box;      /* BOX[@SNAPSHOT] */
	const char *to;       /* stop after this stage; NULL: all of them */
	const char *conflict; /* a merge_resolution by name; NULL: stop */
	bool yes;             /* the person approves every stage that asks */
};
/*
 * Takes a snapshot of the box and records the pipeline; nobody else works on a pipeline of its project until
 * pipeline_finish.
 */
int pipeline_begin(const struct pipeline_callbacks *callbacks, const struct pipeline_request *req,
		   struct pipeline *ret, struct aisbx_error *e);
/* The pipeline KEY and its settings, likewise. -EBUSY: somebody works on a pipeline of that project. */
int pipeline_open(const struct pipeline_callbacks *callbacks, const char *key, struct pipeline *ret,
		  struct aisbx_error *e);
/* From now on it is undone, the last stage first. */
int pipeline_turn(struct pipeline *p, enum merge_resolution conflict, struct aisbx_error *e);

/* pipeline_act.c, by enum stage_state. */
extern pipeline_act *const pipeline_acts[];

/* pipeline_promote.c. Without input and output: for what gates run. */
struct caller pipeline_quiet(const struct pipeline *p);
/* Makes the change of REQ under the id of the stage; an event. */
int pipeline_promote(struct pipeline *p, size_t i, struct box_state *state, const struct store_box *box,
		     struct box_promote_request *req, struct stage_note *note, struct aisbx_error *e);

/* pipeline_branch.c */
pipeline_act pipeline_branch_check, pipeline_branch_apply;

/* pipeline_drive.c: continues until it ends or waits for approval. Then it is unlocked. */
int pipeline_drive(struct pipeline *p, struct aisbx_error *e);
/* Records the new state of stage I after EV, durably, and reports it. WHY NULL: unchanged. Takes DETAIL. */
int pipeline_move(struct pipeline *p, size_t i, enum stage_event ev, const char *why, json_t *detail,
		  struct aisbx_error *e);

enum pipeline_state pipeline_row_state(const struct store_pipeline *row);
/* Somebody works on one of that project now. */
bool pipeline_is_live(const char *project);

struct pipeline_word { /* a person's; borrowed */
	bool reject;
	const char *note;     /* NULL: none */
	const char *snapshot; /* NULL, or the snapshot they reviewed */
};
/* approval.c: on the stage at which it waits. */
int pipeline_approve(struct pipeline *p, const struct pipeline_word *word, struct aisbx_error *e);
bool pipeline_is_approved(struct pipeline *p, size_t i);
pipeline_act pipeline_ask;

/* pipeline_command.c */
pipeline_act pipeline_command_apply;
/* 0, or what the rollback command exited with; -ENOENT: there is none. */
pipeline_act pipeline_command_rollback;

#endif
