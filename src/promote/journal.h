/* SPDX-License-Identifier: Apache-2.0 */
/* The one promotion or undo that may be in progress, and its rows. */
#ifndef PROMOTE_JOURNAL_H
#define PROMOTE_JOURNAL_H

#include "box/box.h"
#include "layer/journal.h"

struct box_journals {
	char *dir; /* owned; where promotions are */
	int lock;  /* owned; nobody else can promote, undo or recover */
};

#define BOX_JOURNALS_INIT  \
	{                  \
		.lock = -1 \
	}

/* Waits for its turn, then recovers what was interrupted. */
int box_journals_open(struct box_state *s, struct box_journals *ret, struct aisbx_error *e);
void box_journals_close(struct box_journals *j);

/* ID is in progress: found after a crash. */
int box_journals_mark(const struct box_journals *j, const char *id, struct aisbx_error *e);
void box_journals_unmark(const struct box_journals *j);

/* After it happened: the box's next changes are based on it. The box may have been removed. */
int box_journals_note(struct box_state *s, struct journal *j, struct aisbx_error *e);
/* After it was undone: what was left alone then stays promoted. */
void box_journals_keep(struct box_state *s, struct journal *j);

/* The row, on the disk. */
int box_journals_record(struct box_state *s, const struct journal *j, const char *state,
			struct aisbx_error *e);

#endif
