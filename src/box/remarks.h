/* SPDX-License-Identifier: Apache-2.0 */
/* What a person should know of a run before it starts: what it will not find, and how its profile was read.
 */
#ifndef BOX_REMARKS_H
#define BOX_REMARKS_H

#include "base/buf.h"
#include "box/caller.h"
#include "box/report.h"

struct run_remarks {
	char weaker[320];      /* "", or: what every box of this driver lacks */
	char group[320];       /* "", or: files of the project have a group that the box does not know */
	char environment[768]; /* "", or: what is active outside and not there */
	char image_user[256];  /* "", or: the image's user is the box's only one */
	struct buf notes;      /* owned; words of other tools in the profile, one per line */
};

/* Finds them, and tells the caller. MISSING: also what the run will not find. */
void run_remarks_tell(struct run_remarks *r, const struct caller *by, const struct run_spec *spec,
		      bool missing);
/* Adds them to the result. */
void run_remarks_add(struct run_remarks *r, struct run_report *report);
void run_remarks_finish(struct run_remarks *r);

#endif
