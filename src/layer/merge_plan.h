/* SPDX-License-Identifier: Apache-2.0 */
/* How the decisions of merge.c become a plan. For merge.c and merge_plan.c. */
#ifndef LAYER_MERGE_PLAN_H
#define LAYER_MERGE_PLAN_H

#include "layer/merge.h"

struct merger {
	const struct merge_sides *sides;
	struct merge_plan plan;
};

static inline bool view_entry_is_special(const struct view_entry *s)
{
	return s->thing.exists && !S_ISREG(s->thing.st.st_mode) && !S_ISDIR(s->thing.st.st_mode) &&
	       !S_ISLNK(s->thing.st.st_mode);
}

static inline bool view_entry_is_dir(const struct view_entry *s)
{
	return s->thing.exists && S_ISDIR(s->thing.st.st_mode);
}

/*
 * 1 if REL, as B in the box and as H (may be NULL) in the target, belongs to git and stays as it is, which is
 * noted; 0 if not.
 */
int merge_leaves_git(struct merger *m, const char *rel, const struct view_entry *b,
		     const struct view_entry *h);

/* It failed with R. Returns e->code. */
int merge_fail(const struct merge_sides *sides, int r, struct aisbx_error *e);

/* 2: REL is within what is requested; 1: on the path to it; 0: neither. */
int merge_asks(const struct merger *m, const char *rel);

/* B and H: what the box and the target have; may be NULL. NULL when memory ran out; the others return
 * negative errnos. */
struct merge_step *merge_add_step(struct merger *m, enum merge_op op, const char *path,
				  const struct view_entry *b, const struct view_entry *h);
int merge_add_stale(struct merger *m, const char *path, enum change_kind host);
int merge_add_twin(struct merger *m, const char *path, const struct stat *st);
/* What the box has at PATH is not a file, and stays there. */
int merge_add_left(struct merger *m, const char *path, const struct stat *st);
/* The box's version of REL to PATH: made, replaced or removed, with everything below it. */
int merge_add_version(struct merger *m, const char *rel, const char *path, const struct view_entry *b,
		      const struct view_entry *h, struct merge_step **ret);
/* A conflict that cannot be resolved: the target stays as it is. */
int merge_add_refusal(struct merger *m, const char *rel, const struct view_entry *b,
		      const struct view_entry *h, enum change_kind kb, enum change_kind kh, const char *why);
/* And applies the resolution. */
int merge_add_conflict(struct merger *m, const char *rel, const struct view_entry *b,
		       const struct view_entry *h, enum change_kind kb, enum change_kind kh, const char *why);

#endif
