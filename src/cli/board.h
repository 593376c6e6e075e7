/* SPDX-License-Identifier: Apache-2.0 */
/* A board of parallel work, one row each, redrawn in place. Never clears more than its own lines. */
#ifndef CLI_BOARD_H
#define CLI_BOARD_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "cli/grid.h"

struct board {
	const struct grid_column *columns;
	json_t *rows; /* owned; the last report of each */
	/* on the screen above the cursor: number of lines, and the columns of the widest */
	int lines, wide;
};

/* How a state is shown; the list ends with one without a name, for states that are not in it. */
struct state_look {
	const char *state, *mark, *colour;
	int busy; /* the highest are shown if there are too many */
};
extern const struct state_look state_looks[];
const struct state_look *state_look_of(const json_t *row);

/* ITEM replaces what was known of its "branch". Returns whether its "state" changed. */
bool board_take(struct board *b, const json_t *item);
/* The bytes that draw it over what was drawn before, in a window of WIDTH columns and HEIGHT lines. */
void board_draw(struct board *b, int width, int height, bool colour, struct buf *out);
/* The bytes that remove it from the screen; the cursor is then where its first line was. */
void board_wipe(struct board *b, int width, int height, struct buf *out);
void board_finish(struct board *b);

#endif
