/* SPDX-License-Identifier: Apache-2.0 */
/* Files without a record: moved to `lost` for a month, not removed. */
#ifndef BOX_ORPHANS_H
#define BOX_ORPHANS_H

#include "box/box.h"

/* STATE/lost/TIME, made when first needed. */
struct box_orphans {
	const char *state; /* borrowed */
	char *batch;       /* owned; NULL: nothing yet */
	size_t n;
};

void box_orphans_finish(struct box_orphans *l);
/* STATE/PLACE/NAME goes there. */
int box_orphans_put(struct box_orphans *l, const char *place, const char *name, struct aisbx_error *e);
/*
 * Layers without a row: those that name a box or a snapshot, contain something unknown, or are the base of
 * such a layer are moved to `lost`; unfinished ones, and those whose record was removed, are deleted. Nobody
 * may be making a layer meanwhile.
 */
int box_orphans_layers(struct box_orphans *l, struct box_state *s, struct aisbx_error *e);
/* How many layers have no row and are not being made just now. */
int box_orphans_count(struct box_state *s, size_t *ret, struct aisbx_error *e);
/* Removes what was moved to `lost` more than 30 days ago; counts it, and what remains. */
int box_orphans_sweep(const char *state, size_t *ret_removed, size_t *ret_kept, struct aisbx_error *e);
/* Everything is moved back to where it was, unless that name is taken. */
int box_orphans_return(const char *state, struct aisbx_error *e);

#endif
