/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the engine, and what it answers. An answer may never come: whoever asks gives up after a
 * time. It may be FAILED although the deed was done. Reads may be stale; only writes that compare decide. */
#ifndef FLEET_CORE_ENGINE_H
#define FLEET_CORE_ENGINE_H

#include "fleet/core/types.h"

enum fleet_ask_kind {
	FLEET_ASK_SUBMIT, /* put JOB at the end of its lane; OK (REVISION: its place) or FULL. Twice is
			     allowed */
	FLEET_ASK_LANES,  /* which lanes have jobs: OK with LANES */
	FLEET_ASK_LANE,   /* the first LIMIT jobs of lane CLASS, TENANT at places after PLACE: OK with JOBS */
	FLEET_ASK_FORGET, /* take place PLACE out of its lane, which is CLASS, TENANT */
	FLEET_ASK_RECORD, /* the record of job ID, TENANT: OK or ABSENT */
	FLEET_ASK_PUT,    /* the same, written; only if its revision is EXPECTED (0: there is none): OK or
			     CONFLICT */
	FLEET_ASK_BURY,   /* copy JOB to the dead letters, with RECORD, at WALL_MS */
	FLEET_ASK_TERM,   /* who is the hub: OK with TERM, or ABSENT */
	FLEET_ASK_PUT_TERM, /* the same, written, only if its revision is EXPECTED: OK or CONFLICT */
};

enum fleet_answer_kind { FLEET_OK, FLEET_CONFLICT, FLEET_NOT_THERE, FLEET_FULL, FLEET_FAILED };

/* Who is the hub. It renews this; another takes it when it stayed the same for a while. */
struct fleet_term {
	char hub[FLEET_NAME];
	uint64_t epoch;
	uint64_t beat; /* rises with each renewal */
};

struct fleet_ask {
	enum fleet_ask_kind kind;
	uint64_t number; /* the answer carries it; never the same twice within a program */
	char id[FLEET_NAME];
	char tenant[FLEET_NAME];
	char class[FLEET_NAME];
	uint64_t place;
	uint64_t expected;
	unsigned limit;
	uint64_t wall_ms;
	struct fleet_job job;       /* owned */
	struct fleet_record record; /* owned */
	struct fleet_term term;
};

struct fleet_lane_name {
	char class[FLEET_NAME];
	char tenant[FLEET_NAME];
	uint64_t jobs; /* in it */
};

struct fleet_placed_job {
	uint64_t place;
	uint64_t stored_wall_ms; /* when, by the engine's clock; 0: it is not known */
	struct fleet_job job;    /* owned */
};

struct fleet_answer {
	enum fleet_answer_kind kind;
	uint64_t number;                         /* of the question */
	uint64_t revision;                       /* of what was read or written */
	uint64_t wait_ms;                        /* FULL: come again after so long, if it is known */
	char id[FLEET_NAME], tenant[FLEET_NAME]; /* of RECORD: the job that was asked for; "": not known */
	bool forged;                /* RECORD: was read, but nobody wrote it who may: it may be replaced */
	struct fleet_record record; /* owned, as all below */
	struct fleet_term term;
	struct fleet_placed_job *jobs;
	size_t n_jobs;
	struct fleet_lane_name *lanes;
	size_t n_lanes;
};

void fleet_ask_copy(const struct fleet_ask *ask, struct fleet_ask *ret);
void fleet_ask_finish(struct fleet_ask *ask);
void fleet_answer_finish(struct fleet_answer *answer);
const char *fleet_ask_name(enum fleet_ask_kind kind);
const char *fleet_answer_name(enum fleet_answer_kind kind);

#endif
