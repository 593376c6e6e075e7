/* SPDX-License-Identifier: Apache-2.0 */
/* What has run, and what has happened to boxes. */
#ifndef BOX_HISTORY_H
#define BOX_HISTORY_H

#include "box/box.h"
#include "box/kept_output.h"

struct box_history_request {
	const char *box;    /* borrowed, as all of these; NULL: of all */
	const char *run;    /* NULL, or only this one, with its result */
	const char *status; /* NULL, or only those that ended so */
	const char *match;  /* NULL, or only commands that contain this */
	const char *grep;   /* NULL, or only runs whose kept output contains this */
	bool has_since;     /* only of the last: */
	uint64_t since_ms;
	int64_t limit;
	bool results; /* with what is kept of them */
	bool events;  /* not runs, but what happened to boxes */
};

struct box_history {
	struct store_run *runs; /* owned; newest first */
	size_t n_runs;
	struct kept_lines *lines;   /* owned; NULL, or what was found in the output of each run */
	struct store_event *events; /* owned; newest first */
	size_t n_events;
};

void box_history_finish(struct box_history *h);
/* Runs by their output: of BOX (an id, or NULL) and since then, as REQ says. */
int box_history_grep(struct box_state *state, const struct box_history_request *req, const char *box,
		     int64_t since_ms, struct box_history *ret, struct aisbx_error *e);
int box_history(const struct box_history_request *req, struct box_history *ret, struct aisbx_error *e);

#endif
