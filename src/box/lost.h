/* SPDX-License-Identifier: Apache-2.0 */
/* What has no record: put aside for a month, not removed. */
#ifndef BOX_LOST_H
#define BOX_LOST_H

#include "box/box.h"

/* STATE/lost/TIME, made with the first thing put there. */
struct box_lost {
	const char *state; /* borrowed */
	char *batch;       /* owned; NULL: nothing yet */
	size_t n;
};

void box_lost_finish(struct box_lost *l);
/* STATE/PLACE/NAME goes there. */
int box_lost_put(struct box_lost *l, const char *place, const char *name, struct aisbx_error *e);
/*
 * Layers without a row: those that name a box or a snapshot, hold something nobody knows, or carry such a one
 * are put aside; what was never more than begun, or had its record taken back, goes out of sight. Nobody may
 * be making a layer meanwhile.
 */
int box_lost_layers(struct box_lost *l, struct box_shelf *s, struct aisbx_error *e);
/* How many layers have no row and are nobody's who is making one just now. */
int box_lost_count(struct box_shelf *s, size_t *ret, struct aisbx_error *e);
/* Removes what was put aside more than 30 days ago; counts it, and what is still there. */
int box_lost_sweep(const char *state, size_t *ret_removed, size_t *ret_kept, struct aisbx_error *e);
/* Everything goes back to where it was, if there is nothing of that name. */
int box_lost_return(const char *state, struct aisbx_error *e);

#endif
