/* SPDX-License-Identifier: Apache-2.0 */
/* What a promotion found and what it left, by content. */
#ifndef LAYER_JOURNAL_CONTENT_H
#define LAYER_JOURNAL_CONTENT_H

#include "layer/checksum.h"
#include "layer/journal.h"

struct journal_content {
	bool was_there, is_there;
	char was[CHECKSUM_MAX], is[CHECKSUM_MAX]; /* "": not known */
};

/*
 * Tells EACH of every file that the promotion made, replaced or removed, also of those in directories that it
 * made or removed as a whole; of none if it is not in place. What is beyond BUDGET in bytes has no checksum.
 */
void journal_contents(struct journal *j, uint64_t budget,
		      void (*each)(void *ctx, const char *path, const struct journal_content *c), void *ctx);

#endif
