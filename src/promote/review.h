/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a promotion would write, as a person judges it: path by path, and part by part of a text. And the
 * person's choice, which leaves only that in the plan. A digest of everything that was shown ties the two
 * together: what is promoted is what was seen.
 */
#ifndef PROMOTE_REVIEW_H
#define PROMOTE_REVIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "layer/merge.h"
#include "promote/git.h"
#include "promote/hunk.h"

#define REVIEW_DIGEST 41 /* as text, with its NUL */

/* Files with more bytes than this are not compared: they can only be accepted as a whole. */
#define REVIEW_FILE_MAX ((off_t)1 << 20)
/* All differences together; what is beyond is not shown. */
#define REVIEW_TEXT_MAX ((size_t)24 << 20)

struct review_item {
	size_t step;            /* in the plan */
	size_t inside;          /* of a directory that is replaced as a whole: what is in it */
	bool mode;              /* permissions differ as well, and can be refused by themselves */
	bool binary;            /* no text */
	struct buf patch;       /* owned; empty if there is nothing to show, or too much */
	struct hunk_list hunks; /* owned; no parts: only as a whole */
	char *old_file;         /* owned; a copy of the target's version, NULL: none was needed */
};

struct promote_review {
	struct review_item *items; /* owned */
	size_t n;
	char digest[REVIEW_DIGEST];
};

void promote_review_finish(struct promote_review *r);

/* DIR: a directory of ours, in which copies are made. GIT: what becomes of repositories. */
int promote_review_make(const struct merge_plan *plan, const struct merge_sides *sides,
			const struct box_git *git, const char *dir, struct promote_review *ret,
			struct aisbx_error *e);

/* What a person accepted of one item. */
struct review_choice {
	size_t item;   /* from 0 */
	bool whole;    /* or: */
	bool mode;     /* the permissions */
	size_t *parts; /* owned; numbers of parts, from 0 */
	size_t n_parts;
};

struct promote_selection {
	char digest[REVIEW_DIGEST]; /* of the review that the person saw */
	bool all;                   /* everything, also commits; or: */
	struct review_choice *list; /* owned */
	size_t n;
};

void promote_selection_finish(struct promote_selection *s);

/* "3": item 3, from 1; "5:1,4,m": parts 1 and 4 of item 5, and its permissions. */
int promote_selection_add(struct promote_selection *s, const char *text, struct aisbx_error *e);

/*
 * Leaves in PLAN what S accepts of REVIEW; texts of which parts were accepted are made in DIR. Nothing of
 * REVIEW but its digest may be used afterwards.
 */
int promote_select(struct merge_plan *plan, const struct promote_review *review,
		   const struct promote_selection *s, const char *dir, struct aisbx_error *e);

#endif
