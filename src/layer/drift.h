/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a real tree has changed since a given time: by ctime, which nobody can set, and for removed files by
 * the names it had. Searches for a limited time, the top of the tree first.
 */
#ifndef LAYER_DRIFT_H
#define LAYER_DRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "aisbx/error.h"
#include "layer/name_list.h"

/* The most useful first. */
#define DRIFT_KINDS(X)                                                                                  \
	X(DELETED, "deleted")                                                                           \
	X(RENAMED, "renamed")                                                                           \
	X(CHANGED, "changed") /* written; without a list of names also new ones */                      \
	X(ADDED, "added")                                                                               \
	X(LOST,                                                                                         \
	  "lost") /* a directory in which something was removed or renamed, but it is not known what */ \
	X(TOUCHED,                                                                                      \
	  "touched") /* other permissions, owner, links or times; the content is the same as far as known */

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
	bool both;  /* set by the caller: the box changed it, too */
	bool drop;  /* set by the caller: not to be reported */
	char *path; /* owned */
	char *from; /* owned; previous name, if renamed */
};

struct drift {
	struct drift_file *files; /* owned; by usefulness */
	size_t n;
	size_t counts[DRIFT_KIND_COUNT];
	size_t looked; /* at so many entries */
	bool complete;
	bool clock_back;    /* the clock is behind the given time: nothing can be detected by it */
	char *was, *branch; /* owned; then and now, if the branch changed; else NULL */
};

void drift_finish(struct drift *d);

struct drift_ask {
	const char *root;
	struct timespec since;
	uint64_t budget_us;      /* 0: no limit */
	struct name_list *names; /* NULL, or the names at that time or before; its notes are consumed */
	/* every name counts, whatever the clock says: the names are from SINCE itself */
	bool exact;
	/* Whether we put what is at PATH there; ST NULL: we removed it. NULL: we did nothing. */
	bool (*is_own)(void *ctx, const char *path, const struct stat *st);
	/* Whether we made or removed something in the directory PATH. */
	bool (*is_own_dir)(void *ctx, const char *path);
	void *ctx;
};

int drift_look(const struct drift_ask *ask, struct drift *ret, struct aisbx_error *e);
/* Counts again and sorts, without dropped ones. */
void drift_settle(struct drift *d);

#endif
