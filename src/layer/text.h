/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges and compares the contents of files, with the helper aisbx-merge. If the helper dies, of too much
 * time or memory, one item fails and not the others.
 */
#ifndef LAYER_TEXT_H
#define LAYER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"

enum text_status {
	TEXT_CLEAN,
	TEXT_CONFLICT, /* merged with marks */
	TEXT_BINARY,   /* a NUL in the first 8000 bytes, or larger than 64 MiB */
	TEXT_FAILED,
};

struct text_merge {
	const char *base; /* borrowed, as all paths here; NULL: none */
	const char *ours, *theirs;
	/* made, with mode 0600, if the outcome is clean or a conflict; must not exist before; all of one list
	 * are in one directory */
	const char *out;
	int status; /* outcome: an enum text_status */
};

/* Merges each. Labels appear in conflict markers; they may contain no control characters. */
int text_merge_all(struct text_merge *list, size_t n, const char *ours_label, const char *theirs_label,
		   struct aisbx_error *e);

/* Regular files or symbolic links; not one of each. */
struct text_pair {
	const char *old_file, *new_file; /* NULL: none */
	const char *name;                /* in the patch, after "a/" and "b/" */
	int status;                      /* outcome: not a conflict */
	uint64_t added, removed;         /* lines; 0 unless the outcome is clean */
	size_t at, len;                  /* where it is in the patch, if one was wanted */
};

/*
 * Puts a patch of all pairs into RET (NULL: only counts). A pair that is not clean has a line "Binary files
 * a/x and b/x differ", which git and patch(1) skip. BARE: for one patch in several calls, false at first;
 * else NULL.
 */
int text_patch(struct text_pair *list, size_t n, struct buf *ret, bool *bare, struct aisbx_error *e);

#endif
