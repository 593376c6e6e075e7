/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When directories changed last: a promotion touches those it puts something into, and taking it back gives
 * them their times again. Inside layer/ only.
 */
#ifndef LAYER_TIMES_H
#define LAYER_TIMES_H

#include "layer/journal.h"

/* Adds an item for each directory that the items of J put something into or take something from. */
int times_add(struct journal *j);
/*
 * Gives the directory of item I its time again; with CHANGED, because somebody else put something into it,
 * the time of now. Where that is not ours to set, or it is another directory, it stays.
 */
int times_back(struct journal *j, size_t i, bool changed);
/* Whether nobody put anything into the directory since F was written down. */
bool times_is_kept(const struct journal_file *f, const struct stat *st);

/* For what is put into ROOT, and goes again, beside the items. */
void times_put(int root, const struct timespec *mtime);

#endif
