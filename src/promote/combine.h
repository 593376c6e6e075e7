/* SPDX-License-Identifier: Apache-2.0 */
/* The changes of two boxes in a third. */
#ifndef PROMOTE_COMBINE_H
#define PROMOTE_COMBINE_H

#include "box/box.h"
#include "layer/merge.h"

struct box_combination {
	struct store_box box; /* the new one; id "" when conflicts stand against it */
	struct merge_plan plan;
	size_t n_conflicts;
};

void box_combination_finish(struct box_combination *c);

/* Both must be locked. RESOLUTION: stop, keep (the first box's version) or overwrite. */
int box_combine(struct box_shelf *s, const struct store_box *first, const struct store_box *second,
		const char *name, enum merge_resolution resolution, struct box_combination *ret,
		struct aisbx_error *e);

#endif
