/* SPDX-License-Identifier: Apache-2.0 */
/* One experiment in progress: a branch as the child knows it, all of them as the parent does. */
#ifndef FLOW_TRY_INTERNAL_H
#define FLOW_TRY_INTERNAL_H

#include "secret/fingerprints.h"
#include "flow/workers.h"
#include "flow/gate.h"
#include "flow/try.h"

/* One branch in progress. */
struct try_branch {
	struct caller by; /* without input, with the output in results; tells of runs */
	const struct try_judge *judge;
	const char *box;
	const char *forks;                  /* prefix of the names of its forks */
	char point[2 * STORE_NAME_MAX];     /* as it is judged: a snapshot of it; "": not yet */
	struct try_record record;           /* owned */
	double first_ms;                    /* of its first run */
	struct run_facts_list runs;         /* owned; all that were made */
	bool has_tested;                    /* all tests passed: */
	struct gate_run tested;             /* owned; the last */
	void (*told)(struct try_branch *b); /* NULL, or called when the record changed */
	void *told_ctx;
};

void try_branch_init(struct try_branch *b, const struct caller *by, const struct try_judge *judge,
		     const char *box, const char *forks);
void try_branch_finish(struct try_branch *b);
/* Runs the command; false: it failed, and the record says why. */
bool try_branch_run(struct try_branch *b, const struct strlist *command);
/* Tests and gates, in forks of its box, changes, and the score; true: it passed. */
bool try_branch_judge(struct try_branch *b);
/* Sets the state and the reason, and reports it. */
void try_branch_become(struct try_branch *b, enum try_state state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Names of boxes of experiment ID begin with its id. */
int try_boxes_make(const struct caller *by, const struct try_request *req, const char *id, size_t n,
		   struct strlist *ret_names, struct strlist *ret_ids, struct aisbx_error *e);
/* POINT into the project, through its stages if it has some. */
int try_promote(const struct pipeline_callbacks *callbacks, const struct try_judge *j, const char *point,
		struct try_promotion *ret, struct aisbx_error *e);

/* What the parent knows of a branch. */
struct lane {
	struct try_record record; /* as the child reported it last; its wall_ms is by the parent's clock */
	const char *stop;         /* static; NULL, or why it was told to end */
	uint64_t begun_us;
	double live_cpu_ms; /* of the run that goes on */
	uint64_t live_mem;
	bool ended;
};

struct
try {
	const struct caller *by;       /* borrowed */
	const struct try_request *req; /* borrowed */
	char id[STORE_ID_MAX];
	struct try_judge judge;
	struct try_approaches approaches;
	size_t n, next, parallel;
	struct lane *lanes; /* owned */
	struct workers workers;
	struct try_allowance *allowance; /* shared with the children */
	uint64_t begun_us, looked_ms;
	int winner;                        /* -1: none */
	const char *cut_short;             /* static; NULL, "budget" or "interrupted" */
	char *state_dir;                   /* owned */
	int lock;                          /* owned */
	struct fingerprints *fingerprints; /* owned; NULL: no secret was ever given to a box */
	struct fingerprint_scan *scan;
};

/* Runs all of them to their end. */
int try_attend_init(struct try *t, struct aisbx_error *e);
int try_attend(struct try *t, struct aisbx_error *e);
/* Reports the state of branch I, RECORD. */
void try_tell(struct try *t, size_t i, const struct try_record *record);

#endif
