/* SPDX-License-Identifier: Apache-2.0 */
/* Untrusted text measured in columns of a terminal, for drawings in place that must not be moved by it. */
#ifndef CLI_TEXT_WIDTH_H
#define CLI_TEXT_WIDTH_H

#include <stdbool.h>

#include "base/buf.h"

/* Columns that TEXT takes as text_width_add shows it. */
int text_width(const char *text);
/*
 * TEXT in at most WIDTH columns, the last one "…" if it was cut. Characters that move the cursor, are
 * invisible, or have different widths on different terminals are shown as '?'. PAD: with spaces up to WIDTH;
 * RIGHT: before it.
 */
void text_width_add(struct buf *b, const char *text, int width, bool pad, bool right);

/* TEXT as names are shown everywhere: what nobody sees becomes "\\u202e", controls '?'. Cut to CAP bytes. */
void text_as_name(const char *text, char *ret, size_t cap);

#endif
