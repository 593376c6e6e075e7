/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: a goal and its steps, in the store, so that they outlive their maker. */
#ifndef FLOW_PLAN_H
#define FLOW_PLAN_H

#include "box/box.h"
#include "flow/intent_run.h"

struct plan_request { /* borrowed */
	const char *goal;
	const struct strlist *steps;
	const char *box;     /* NULL: each step in one of its own */
	const char *project; /* of the caller; a box has its own */
};

int plan_create(const struct plan_request *req, struct store_plan *ret, struct aisbx_error *e);
/* Of the person, or of the owner we act for. */
int plan_find(const char *key, struct store_plan *ret, struct aisbx_error *e);
/* Newest first. MATCH NULL: all. */
int plan_list(const char *match, int64_t limit, struct store_plan **ret, size_t *ret_n,
	      struct aisbx_error *e);
/* All or none. RET_IDS: their ids. */
int plan_remove(const struct strlist *keys, struct strlist *ret_ids, struct aisbx_error *e);
/* "open", "running", "failed" or "done". */
const char *plan_state(const struct store_plan *p);

/* What to do with a step that failed, or is in progress. */
struct plan_claim {
	bool again, skip;
};
/*
 * The step to run now: it is marked as running. RET_I equal to the number of steps: the last was skipped, and
 * none is left. Never continues after a failed step unless told.
 */
int plan_claim(const char *key, const struct plan_claim *how, struct store_plan *ret, size_t *ret_i,
	       struct aisbx_error *e);

struct plan_outcome {     /* borrowed */
	const char *run;  /* NULL: there was none */
	const char *note; /* then: why */
	bool ok;
	int64_t exit_code; /* -1: none */
	int64_t begun_ms;
};
/* Records the outcome of step I of P, which was claimed. RET: the plan after that. */
int plan_settle(const struct store_plan *p, size_t i, const struct plan_outcome *o, struct store_plan *ret,
		struct aisbx_error *e);

/* plan_run.c: the next step as a run. */
struct jail_plan_step_request { /* borrowed */
	const char *plan;
	const char *box;  /* NULL: the plan's */
	bool has_timeout; /* of the step: */
	uint64_t timeout_ms;
	bool again, skip; /* as of a claim */
};

struct jail_plan_step_result {
	struct store_plan plan;      /* owned; as it is then */
	size_t did;                  /* the step, from 1; 0: the last was skipped, and none was done */
	bool is_intent;              /* it is one of both: */
	struct intent_result intent; /* owned */
	struct run_report run;       /* owned */
};

void plan_step_result_finish(struct jail_plan_step_result *r);
const struct run_report *plan_step_report(const struct jail_plan_step_result *r);
/* RET is finished by the caller, also after an error. */
int plan_step(const struct caller *by, const struct jail_plan_step_request *req,
	      struct jail_plan_step_result *ret, struct aisbx_error *e);

#endif
