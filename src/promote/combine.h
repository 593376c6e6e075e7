/* SPDX-License-Identifier: Apache-2.0 */
/* The changes of two boxes in a third. */
#ifndef PROMOTE_COMBINE_H
#define PROMOTE_COMBINE_H

#include "box/box.h"
#include "layer/merge.h"

struct box_combination {
	struct store_box box; /* the new one; id "" if there are conflicts */
	struct merge_plan plan;
	size_t n_conflicts;
};

void box_combination_finish(struct box_combination *c);

/* Both must be locked. RESOLUTION: stop, keep (the first box's version) or overwrite. */
int box_combine(struct box_state *s, const struct store_box *first, const struct store_box *second,
		const char *name, enum merge_resolution resolution, struct box_combination *ret,
		struct aisbx_error *e);

struct promote_combine_request {
	const char *box, *other; /* borrowed, as all of these; the changes of OTHER come on top */
	const char *name;        /* of the new box; NULL: that of the first with a number */
	enum merge_resolution resolution;
};

/* The same of boxes that somebody named. RET is finished by the caller, also after an error. */
int promote_combine(const struct promote_combine_request *req, struct box_combination *ret,
		    struct aisbx_error *e);

#endif
