/* SPDX-License-Identifier: Apache-2.0 */
/* Starts aisbx-merge with all its requests, and reads its answers. */
#ifndef LAYER_READER_H
#define LAYER_READER_H

#include <stdio.h>
#include <sys/types.h>

#include "aisbx/error.h"
#include "base/buf.h"

#define HELPER          "aisbx-merge"
#define HELPER_NO_WALLS 4 /* its exit status if it could not put walls around itself */

struct reader {
	pid_t pid;
	FILE *answers; /* owned */
};

/* Adds a word of a request. */
void reader_add_word(struct buf *requests, const char *word);
/* DIR: where it may write files; NULL: nowhere. */
int reader_start(const struct buf *requests, const char *dir, struct reader *ret, struct aisbx_error *e);
/* Takes LEN bytes of its answers, into B unless that is NULL. 0 when they end before, else 1. */
int reader_take(struct reader *h, size_t len, struct buf *b);
/* Stops reading. If it has not finished, it dies of that. Its status as from waitpid. */
int reader_end(struct reader *h);
/* The error for one that ended early, with STATUS. */
int reader_fail_early(int status, struct aisbx_error *e);

#endif
