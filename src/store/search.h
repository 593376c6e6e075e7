/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of runs: which of them may contain a text, or a run of a given time. Inside store/ only. */
#ifndef STORE_SEARCH_H
#define STORE_SEARCH_H

#include "store/store.h"

/* Registers the SQL function may_hold(run_blocks.grams, text). */
int search_prepare(struct store *s, struct aisbx_error *e);
/* Seq of the last run that is in a block; 0: none. */
int search_last(struct store *s, int64_t *ret, struct aisbx_error *e);
/* A seq up to which all runs are older than SINCE_MS; 0: perhaps none. */
int search_since(struct store *s, int64_t since_ms, int64_t *ret, struct aisbx_error *e);

#endif
