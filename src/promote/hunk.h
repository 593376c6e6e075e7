/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The difference of two texts as parts that can be accepted one by one. A part is a run of removed and added
 * lines; the parts of one hunk are those that a patch shows together. Pure: reads a patch, writes a text.
 */
#ifndef PROMOTE_HUNK_H
#define PROMOTE_HUNK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* A piece of the patch. */
struct hunk_slice {
	const char *text; /* borrowed from the patch */
	size_t len;
};

struct hunk_part {
	size_t hunk;                     /* number of its hunk, from 0 */
	size_t old_line, new_line;       /* of its first line, from 0 */
	size_t n_old, n_new;             /* lines removed and added */
	size_t n_before, n_after;        /* lines of context */
	struct hunk_slice before, after; /* context around it, at most up to the next part */
	struct hunk_slice lines;         /* "-old\n+new\n", and the mark of a missing line end */
};

struct hunk_list {
	struct hunk_part *parts; /* owned */
	size_t n;
	size_t n_hunks;
};

void hunk_list_finish(struct hunk_list *l);

/* PATCH of one file, as git writes it; it must outlive RET. -EBADMSG: it is none; -ENOMEM. */
int hunk_list_read(const char *patch, size_t len, struct hunk_list *ret);

/*
 * BASE with the parts that ACCEPTED (one for each) says, added to RET. -EBADMSG if the parts do not belong to
 * BASE; -ENOMEM.
 */
int hunk_list_apply(const struct hunk_list *l, const bool *accepted, const char *base, size_t len,
		    struct buf *ret);

/* Part AT as a hunk of its own, with its line "@@"; and the whole hunk number HUNK. Added to RET. */
void hunk_print_part(const struct hunk_list *l, size_t at, struct buf *ret);
void hunk_print(const struct hunk_list *l, size_t hunk, struct buf *ret);

#endif
