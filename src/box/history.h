/* SPDX-License-Identifier: Apache-2.0 */
/* What has run, and what has happened to boxes. */
#ifndef BOX_HISTORY_H
#define BOX_HISTORY_H

#include "box/box.h"

struct box_history_request {
	const char *box;    /* borrowed, as all of these; NULL: of all */
	const char *run;    /* NULL, or only this one, with its result */
	const char *status; /* NULL, or only those that ended so */
	const char *match;  /* NULL, or only commands that contain this */
	bool has_since;     /* only of the last: */
	uint64_t since_ms;
	int64_t limit;
	bool results; /* with what is kept of them */
	bool events;  /* not runs, but what happened to boxes */
};

struct box_history {
	struct store_run *runs; /* owned; newest first */
	size_t n_runs;
	struct store_event *events; /* owned; newest first */
	size_t n_events;
};

void box_history_finish(struct box_history *h);
int box_history(const struct box_history_request *req, struct box_history *ret, struct aisbx_error *e);

#endif
