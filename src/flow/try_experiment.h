/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open-ended experiments: boxes in which others work, judged when they are ready; and showing any experiment.
 */
#ifndef FLOW_TRY_EXPERIMENT_H
#define FLOW_TRY_EXPERIMENT_H

#include "flow/try.h"

/* As it is, or as it ended. */
struct experiment {
	struct store_experiment row; /* owned */
	const char *state;           /* static or of the row */
	struct try_record *branches; /* owned; in their order, or ranked when it has ended */
	size_t n;
	bool concluded;                 /* here: how they differ was found out */
	struct try_difference *differs; /* owned */
	size_t n_differs;
	struct try_promotion promotion; /* owned */
};

void experiment_finish(struct experiment *x);
/* As results and the store have it, without what became of the winner. */
json_t *experiment_json(const struct experiment *x);

int experiment_open(const struct caller *by, const struct try_request *req, struct experiment *ret,
		    struct aisbx_error *e);
int experiment_show(const char *key, struct experiment *ret, struct aisbx_error *e);
/* At most LIMIT, the newest first; RET is heap, each to be finished. */
int experiment_ls(uint64_t limit, struct experiment **ret, size_t *ret_n, struct aisbx_error *e);

struct experiment_end_request { /* borrowed */
	const char *key;
	bool keep;                                  /* the boxes of the others, too */
	const struct pipeline_callbacks *callbacks; /* NULL, or the winner is promoted by them */
};
/* The best of those that were judged and passed wins, if there is one. */
int experiment_end(const struct experiment_end_request *req, struct experiment *ret, struct aisbx_error *e);

struct experiment_ready {
	char experiment[STORE_ID_MAX];
	struct try_record record; /* owned */
	bool won;                 /* with mode first: it was the first, and the experiment has ended */
	struct experiment ended;  /* then; owned */
};

void experiment_ready_finish(struct experiment_ready *r);
/* Has the branch of that name judged. */
int experiment_ready(const struct caller *by, const char *key, const char *branch,
		     struct experiment_ready *ret, struct aisbx_error *e);

#endif
