/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modification times of directories: a promotion changes those of directories it writes to, and undo restores
 * them. Inside layer/ only.
 */
#ifndef LAYER_TIMES_H
#define LAYER_TIMES_H

#include "layer/journal.h"

/* Adds an item for each directory that the items of J add to or remove from. */
int times_add(struct journal *j);
/*
 * Restores the time of the directory of item I; with CHANGED, because somebody else changed it, the current
 * time. If we may not set it, or it is another directory, it stays.
 */
int times_back(struct journal *j, size_t i, bool changed);
/* Whether nobody added anything to the directory since F was recorded. */
bool times_is_kept(const struct journal_file *f, const struct stat *st);

/* For temporary entries of ROOT, beside the items. */
void times_put(int root, const struct timespec *mtime);

#endif
