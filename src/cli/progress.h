/* SPDX-License-Identifier: Apache-2.0 */
/* A board of parallel work, one row each, redrawn in place. Never clears more than its own lines. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "cli/columns.h"

struct progress {
	const struct column *columns;
	json_t *rows; /* owned; the last report of each */
	/* on the screen above the cursor: number of lines, and the columns of the widest */
	int lines, wide;
};

/* How a state is shown; the list ends with one without a name, for states that are not in it. */
struct progress_look {
	const char *state, *mark, *colour;
	int busy; /* the highest are shown if there are too many */
};
extern const struct progress_look progress_looks[];
const struct progress_look *progress_look_of(const json_t *row);

/* ITEM replaces what was known of its "branch". Returns whether its "state" changed. */
bool progress_take(struct progress *b, const json_t *item);
/* The bytes that draw it over what was drawn before, in a window of WIDTH columns and HEIGHT lines. */
void progress_draw(struct progress *b, int width, int height, bool colour, struct buf *out);
/* The bytes that remove it from the screen; the cursor is then where its first line was. */
void progress_wipe(struct progress *b, int width, int height, struct buf *out);
void progress_finish(struct progress *b);

#endif
