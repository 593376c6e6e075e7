/* SPDX-License-Identifier: Apache-2.0 */
/* One take of a run: the first, as the history has it, or a replay of it. */
#ifndef FLOW_REPLAY_TAKE_H
#define FLOW_REPLAY_TAKE_H

#include <jansson.h>

#include "base/buf.h"
#include "box/box.h"
#include "box/run_options.h"

#define TAKE_NULL (-1) /* of a number: the run did not end that way */

struct take {
	char id[STORE_ID_MAX];
	char box[STORE_ID_MAX];   /* "": it went with the run */
	char after[STORE_ID_MAX]; /* snapshot of it behind the run; "": none */
	char before[STORE_ID_MAX];
	int64_t started_ms;
	int exit_code, signal; /* or TAKE_NULL */
	int64_t fuel;          /* instructions of a WebAssembly program, or TAKE_NULL */
	const char *status;    /* borrowed from `kept`; NULL: not known */
	json_t *usage;         /* the same; as `run` told it, to be passed on */
	/* How it was run, borrowed likewise. */
	bool replayable;                             /* all of this is known */
	struct run_options options;                  /* owned */
	const char *owner, *cwd, *profile, *project; /* NULL: none */
	bool joined, input;          /* other commands were in the box; it could read something */
	struct strlist env_not_kept; /* names of variables */
	char *sums[2];               /* owned; of all it wrote; NULL: it was not recorded */
	bool has_output;             /* what it wrote was kept */
	struct buf output[2];        /* its beginning */
	json_t *kept;                /* owned; as the history has it */
};

void take_finish(struct take *t);
/* The run ID as it was. The one reader of what the history keeps for replays. */
int take_read(struct box_state *state, const char *id, struct take *ret, struct aisbx_error *e);

/* Runs OF again from "BOX" or "BOX@SNAPSHOT", FROM; NULL: no box, on the host as it is. The box of RET, if
 * there is one, is the caller's to remove. */
int take_again(const struct caller *by, const char *from, const struct take *of, struct take *ret,
	       struct aisbx_error *e);
void take_drop_box(const struct take *t);

#endif
