/* SPDX-License-Identifier: Apache-2.0 */
/* What a journal does to one path, and how that is undone. Inside layer/ only. */
#ifndef LAYER_STEP_H
#define LAYER_STEP_H

#include "layer/journal.h"

/* What an undo does with an item; in journal->skip. */
enum { STEP_GO = 0, STEP_KEEP = 1, STEP_ASIDE = 2 };

/* 0, or a negative errno; -ESTALE: what is there is not what was compared. */
int step_do(struct journal *j, size_t i);

/* As above, or STEP_LEFT: it is not ours any more, and was left as it is. */
enum { STEP_LEFT = 1 };
int step_back(struct journal *j, size_t i);

/* The same file, whatever its attributes; a directory, whatever its contents. */
bool step_is_file(const struct journal_file *f, const struct stat *st);
/*
 * The same, and unchanged. CTIME: not even renamed, unless it has several names, of which we may have changed
 * one.
 */
bool step_is_exactly(const struct journal_file *f, const struct stat *st, bool ctime);

#endif
