/* SPDX-License-Identifier: Apache-2.0 */
/* What changed in the real project, outside of a box, since the box or a snapshot of it was made. */
#ifndef BOX_DRIFT_H
#define BOX_DRIFT_H

#include "box/box.h"
#include "layer/drift.h"

/* Maximum time for a search that nobody asked for. */
#define BOX_DRIFT_MS 300

struct box_drift {
	bool of_snapshot, of_pin; /* else since the box was made */
	int64_t since_ms;         /* wall clock */
	size_t ignored;           /* left out: git ignores them */
	struct drift drift;
};

void box_drift_finish(struct box_drift *d);

/* SNAPSHOT "": since B was made. BUDGET_MS 0: looks at everything. */
int box_drift_look(struct box_state *s, const struct store_box *b, const char *snapshot, uint64_t budget_ms,
		   struct box_drift *ret, struct aisbx_error *e);

struct drift_options {
	bool off;
	uint64_t ms; /* 0: everything */
};

/* Reported beside the result of another operation, which does not fail because of it. */
struct drift_report {
	bool told;              /* else nobody looked */
	bool failed;            /* then WHY says why nothing is known */
	struct box_drift found; /* owned */
	struct aisbx_error why;
};

void drift_report_make(const struct drift_options *options, struct box_state *s, const struct store_box *b,
		       const char *snapshot, struct drift_report *ret);
void drift_report_finish(struct drift_report *r);

/* Records what is needed later, within a millisecond, or less is known later. Never fails the caller. */
void box_drift_note(const struct box_state *s, const struct store_box *b);
/* A fork inherits the notes of its box. */
void box_drift_inherit(const struct box_state *s, const struct store_box *from, const struct store_box *to);
void box_drift_forget(const char *dir, const char *id);
/* Removes notes of removed boxes; nobody may be making a box meanwhile. */
void box_drift_sweep(const struct box_state *s);

#endif
