/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a real tree differs from what it was at a moment: by ctime, which nobody can set, and for what went
 * away by the names it had. Looks for as long as it is given, the top of the tree first.
 */
#ifndef LAYER_DRIFT_H
#define LAYER_DRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "aisbx/error.h"
#include "layer/names.h"

/* The most useful to know first. */
#define DRIFT_KINDS(X)                                                                                       \
	X(DELETED, "deleted")                                                                                \
	X(RENAMED, "renamed")                                                                                \
	X(CHANGED, "changed") /* written; without a list of names also new ones */                           \
	X(ADDED, "added")                                                                                    \
	X(LOST, "lost")       /* a directory in which something was removed or renamed, nobody knows what */ \
	X(TOUCHED, "touched") /* other permissions, owner, links or times; the content is the same as far as \
				 anybody knows */

enum drift_kind {
#define X(id, name) DRIFT_##id,
	DRIFT_KINDS(X)
#undef X
		DRIFT_KIND_COUNT
};

const char *drift_kind_name(enum drift_kind kind);

struct drift_file {
	enum drift_kind kind;
	bool is_dir;
	bool both;  /* for who knows: the box changed it, too */
	bool drop;  /* for who knows better: it is not to be told */
	char *path; /* owned */
	char *from; /* owned; of what was renamed: what it was called */
};

struct drift {
	struct drift_file *files; /* owned; by usefulness */
	size_t n;
	size_t counts[DRIFT_KIND_COUNT];
	size_t looked; /* at so many entries */
	bool complete;
	bool clock_back;    /* the clock is behind the moment: nothing can be told by it */
	char *was, *branch; /* owned; then and now, if the branch is another one; else NULL */
};

void drift_finish(struct drift *d);

struct drift_ask {
	const char *root;
	struct timespec since;
	uint64_t budget_us;  /* 0: to the end */
	struct names *names; /* NULL, or those of that moment or before; its notes are used up */
	bool exact;          /* every name counts, whatever the clock says: the names are of SINCE itself */
	/* Whether what is at PATH was put there by ourselves; ST NULL: it was taken away. NULL:
	 * nothing was. */
	bool (*is_own)(void *ctx, const char *path, const struct stat *st);
	/* Whether we made or removed something in the directory PATH. */
	bool (*is_own_dir)(void *ctx, const char *path);
	void *ctx;
};

int drift_look(const struct drift_ask *ask, struct drift *ret, struct aisbx_error *e);
/* Counts again and sorts, without what is to be dropped. */
void drift_settle(struct drift *d);

#endif
