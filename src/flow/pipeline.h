/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines: one frozen change of a box on its way through the stages of its project, and back. */
#ifndef FLOW_PIPELINE_H
#define FLOW_PIPELINE_H

#include <jansson.h>

#include "box/caller.h"
#include "flow/stage.h"
#include "project/project.h"
#include "promote/apply.h"

/* What an act found. */
struct stage_note {
	char why[640];
	json_t *detail; /* owned; members of the stage's, as the store keeps them; NULL: none */
};

struct pipeline;
/*
 * What is done at stage I in one state. An event, PIPELINE_WAITS, or a negative errno when nobody knows what
 * to do but to try again.
 */
typedef int pipeline_act(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e);
#define PIPELINE_WAITS STAGE_EVENT_COUNT

/* Who works on it. All of it is borrowed. */
struct pipeline_hands {
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

/* One pipeline in somebody's hands. */
struct pipeline {
	struct pipeline_hands hands;
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

struct pipeline_request {     /* borrowed */
	const char *box;      /* BOX[@SNAPSHOT] */
	const char *to;       /* stop behind this stage; NULL: all of them */
	const char *conflict; /* a merge_resolution by name; NULL: stop */
	bool yes;             /* the person approves of every stage that asks */
};
/* Freezes the box and writes the pipeline down; nobody else works on one of its project until
 * pipeline_finish. */
int pipeline_begin(const struct pipeline_hands *hands, const struct pipeline_request *req,
		   struct pipeline *ret, struct aisbx_error *e);
/* The pipeline KEY and its rules, likewise. -EBUSY: somebody works on one of that project. */
int pipeline_open(const struct pipeline_hands *hands, const char *key, struct pipeline *ret,
		  struct aisbx_error *e);
/* From now on it goes back, the last stage first. */
int pipeline_turn(struct pipeline *p, enum merge_resolution conflict, struct aisbx_error *e);

/* pipeline_act.c, by enum stage_state. */
extern pipeline_act *const pipeline_acts[];

/* pipeline_promote.c. Without input and output: for what gates run. */
struct caller pipeline_quiet(const struct pipeline *p);
/* Makes the change of REQ under the id the stage has; an event. */
int pipeline_promote(struct pipeline *p, size_t i, struct box_shelf *shelf, const struct store_box *box,
		     struct box_promote_request *req, struct stage_note *note, struct aisbx_error *e);

/* pipeline_branch.c */
pipeline_act pipeline_branch_check, pipeline_branch_apply;

/* pipeline_drive.c: goes on until it is over or waits for somebody. Then it is not locked any more. */
int pipeline_drive(struct pipeline *p, struct aisbx_error *e);
/* Writes down what EV makes of stage I, whole and on the disk, and tells of it. WHY NULL: as it was. Takes
 * DETAIL. */
int pipeline_move(struct pipeline *p, size_t i, enum stage_event ev, const char *why, json_t *detail,
		  struct aisbx_error *e);

enum pipeline_state pipeline_row_state(const struct store_pipeline *row);
/* Somebody works on one of that project now. */
bool pipeline_is_live(const char *project);

struct pipeline_word { /* a person's; borrowed */
	bool reject;
	const char *note;     /* NULL: none */
	const char *snapshot; /* NULL, or what they believe it is about */
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
