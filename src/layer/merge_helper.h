/* SPDX-License-Identifier: Apache-2.0 */
/* Starts aisbx-merge with all its requests, and reads its answers. */
#ifndef LAYER_MERGE_HELPER_H
#define LAYER_MERGE_HELPER_H

#include <stdio.h>
#include <sys/types.h>

#include "aisbx/error.h"
#include "base/buf.h"

#define HELPER          "aisbx-merge"
#define HELPER_IDS_FD   3 /* a user namespace to enter first, if it is open */
#define HELPER_NO_WALLS 4 /* its exit status if it could not put walls around itself */

struct merge_helper {
	pid_t pid;
	FILE *answers; /* owned */
};

/* Adds a word of a request. */
void merge_helper_add_word(struct buf *requests, const char *word);
/* DIR: where it may write files; NULL: nowhere. */
int merge_helper_start(const struct buf *requests, const char *dir, struct merge_helper *ret,
		       struct aisbx_error *e);
/* Takes LEN bytes of its answers, into B unless that is NULL. 0 when they end before, else 1. */
int merge_helper_take(struct merge_helper *h, size_t len, struct buf *b);
/* Stops reading. If it has not finished, it dies of that. Its status as from waitpid. */
int merge_helper_end(struct merge_helper *h);
/* The error for one that ended early, with STATUS. */
int merge_helper_fail_early(int status, struct aisbx_error *e);

#endif
