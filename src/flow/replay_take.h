/* SPDX-License-Identifier: Apache-2.0 */
/* One take of a run: the first, as the history has it, or a replay of it. Inside op/ only. */
#ifndef FLOW_REPLAY_TAKE_H
#define FLOW_REPLAY_TAKE_H

#include "base/buf.h"
#include "box/live_run.h"
#include "op/op.h"

struct take {
	char id[STORE_ID_MAX];
	char box[STORE_ID_MAX];   /* "": it went with the run */
	char after[STORE_ID_MAX]; /* snapshot of it behind the run; "": none */
	char before[STORE_ID_MAX];
	json_t *result;       /* owned; as the history has it */
	const json_t *record; /* borrowed from that; NULL: there is none */
	int64_t started_ms;
	bool has_output;      /* what it wrote was kept */
	struct buf output[2]; /* its beginning */
};

void take_finish(struct take *t);
/* The run ID as it was. */
int take_read(struct box_shelf *shelf, const char *id, struct take *ret, struct aisbx_error *e);

/* Where replays start. */
struct take_stage {
	const char *from;      /* borrowed; "BOX" or "BOX@SNAPSHOT"; NULL: no box, on the host as it is */
	const struct take *of; /* borrowed */
};

/* Runs it again. The box of RET, if there is one, is the caller's to remove. */
int take_again(struct op_context *ctx, const struct take_stage *stage, struct take *ret,
	       struct aisbx_error *e);
void take_drop_box(const struct take *t);

#endif
