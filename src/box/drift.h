/* SPDX-License-Identifier: Apache-2.0 */
/* What changed in the real project, outside of a box, since the box or a snapshot of it was made. */
#ifndef BOX_DRIFT_H
#define BOX_DRIFT_H

#include "box/box.h"
#include "layer/drift.h"

/* Nobody waits longer for what he did not ask for. */
#define BOX_DRIFT_MS 300

struct box_drift {
	bool of_snapshot, of_pin; /* else since the box was made */
	int64_t since_ms;         /* wall clock */
	size_t ignored;           /* left out: git ignores them */
	struct drift drift;
};

void box_drift_finish(struct box_drift *d);

/* SNAPSHOT "": since B was made. BUDGET_MS 0: looks at everything. */
int box_drift_look(struct box_shelf *s, const struct store_box *b, const char *snapshot, uint64_t budget_ms,
		   struct box_drift *ret, struct aisbx_error *e);

struct drift_wish {
	bool off;
	uint64_t ms; /* 0: everything */
};

/* What is told beside the outcome of something else, which does not fail by it. */
struct drift_report {
	bool told;              /* else nobody looked */
	bool failed;            /* then WHY nothing can be told */
	struct box_drift found; /* owned */
	struct aisbx_error why;
};

void drift_report_make(const struct drift_wish *wish, struct box_shelf *s, const struct store_box *b,
		       const char *snapshot, struct drift_report *ret);
void drift_report_finish(struct drift_report *r);

/* What is to be known of the project later: in a millisecond, or less is known. Nothing fails by it. */
void box_drift_note(const struct box_shelf *s, const struct store_box *b);
/* A fork knows what the box it comes from does. */
void box_drift_inherit(const struct box_shelf *s, const struct store_box *from, const struct store_box *to);
void box_drift_forget(const char *dir, const char *id);
/* Notes of boxes that are gone; nobody may be making a box meanwhile. */
void box_drift_sweep(const struct box_shelf *s);

#endif
