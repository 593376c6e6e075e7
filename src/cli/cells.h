/* SPDX-License-Identifier: Apache-2.0 */
/* Foreign text measured in columns of a terminal, for what is drawn in place and must not be moved by it. */
#ifndef CLI_CELLS_H
#define CLI_CELLS_H

#include <stdbool.h>

#include "base/buf.h"

/* Columns TEXT takes as cells_add shows it. */
int cells_width(const char *text);
/*
 * TEXT in at most WIDTH columns, the last one "…" when it had to be cut. What moves the cursor, hides, or is
 * wide on one terminal and not on another is shown as '?'. PAD: with spaces up to WIDTH; RIGHT: before it.
 */
void cells_add(struct buf *b, const char *text, int width, bool pad, bool right);

#endif
