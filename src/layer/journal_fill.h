/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the slots of a journal with the result of a merge. */
#ifndef LAYER_JOURNAL_FILL_H
#define LAYER_JOURNAL_FILL_H

#include "layer/journal.h"
#include "layer/merge.h"

/* Disk space needed for copying. */
uint64_t journal_fill_bytes(const struct merge_plan *plan);

/* OWNERS: the caller is root and gives files their owners, ID_DELTA added to what they are on the host. */
int journal_fill_all(struct journal *j, const struct merge_plan *plan, const struct merge_sides *sides,
		     bool owners, int64_t id_delta, struct aisbx_error *e);

/*
 * Merges the contents of steps that need it, in DIR, which must be empty. Steps whose contents cannot be
 * merged become conflicts.
 */
int journal_fill_texts(struct merge_plan *plan, const struct merge_sides *sides, const char *dir,
		       struct aisbx_error *e);

#endif
