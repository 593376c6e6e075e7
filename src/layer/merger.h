/* SPDX-License-Identifier: Apache-2.0 */
/* Starting aisbx-merge with everything it is asked, and hearing its answers. */
#ifndef LAYER_MERGER_H
#define LAYER_MERGER_H

#include <stdio.h>
#include <sys/types.h>

#include "aisbx/error.h"
#include "base/buf.h"

#define MERGER "aisbx-merge"
#define MERGER_NO_WALLS 4 /* its exit status when it could not put walls around itself */

struct merger {
	pid_t pid;
	FILE *answers; /* owned */
};

/* Adds a word of a request. */
void merger_add_word(struct buf *requests, const char *word);
/* DIR: where it may write files; NULL: nowhere. */
int merger_start(const struct buf *requests, const char *dir, struct merger *ret, struct aisbx_error *e);
/* Takes LEN bytes of its answers, into B unless that is NULL. 0 when they end before, else 1. */
int merger_take(struct merger *h, size_t len, struct buf *b);
/* Hears no more of it. If it is not done yet it dies of that. Its status as waitpid has it. */
int merger_end(struct merger *h);
/* What to say of one that ended by itself, with STATUS, before it was done. */
int merger_fail_early(int status, struct aisbx_error *e);

#endif
