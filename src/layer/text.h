/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging and comparing the contents of files, by the helper aisbx-merge. What the helper dies of, too much
 * time or memory, fails one item and not the others.
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
	const char *out; /* made, with mode 0600, when the outcome is clean or a conflict; must not be there
			    before; of one list all lie in one directory */
	int status;      /* outcome: an enum text_status */
};

/* Merges each. Labels stand in the marks of conflicts; they may hold no control characters. */
int text_merge_all(struct text_merge *list, size_t n, const char *ours_label, const char *theirs_label,
		   struct aisbx_error *e);

/* Regular files or symbolic links; not one of each. */
struct text_pair {
	const char *old_file, *new_file; /* NULL: none */
	const char *name;                /* in the patch, behind "a/" and "b/" */
	int status;                      /* outcome: not a conflict */
	uint64_t added, removed;         /* lines; 0 unless the outcome is clean */
};

/*
 * Puts a patch of all pairs into RET (NULL: only counts). What is not clean has a line "Binary files a/x and
 * b/x differ" in it, which git and patch(1) pass over. BARE: for who asks for one patch in several calls,
 * false at first; else NULL.
 */
int text_patch(struct text_pair *list, size_t n, struct buf *ret, bool *bare, struct aisbx_error *e);

#endif
