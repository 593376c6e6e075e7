/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What git would treat as one of its directories: ".git", however it is written, and any directory laid out
 * like a repository. Such a directory tells git what to run, so none of its files is ever copied from a box
 * to a real tree.
 */
#ifndef LAYER_GITDIR_H
#define LAYER_GITDIR_H

#include <stdbool.h>

#include "layer/view.h"

/*
 * NAME, of anything at all, is ".git" to git on some file system: in any case, as "git~1", with ignored
 * characters.
 */
bool gitdir_is_name(const char *name);
/* A part of PATH is. */
bool gitdir_has_name(const char *path);

/* PATH, absolute and on the host, is a git directory or in one. */
bool gitdir_holds(const char *path);

/*
 * The directory REL has, in A and B (may be NULL) taken together, the parts of a repository: HEAD, and
 * objects and refs or a pointer to them. 1, 0 or a negative errno.
 */
int gitdir_is_laid_out(struct open_view *a, struct ref dir_a, struct open_view *b, struct ref dir_b,
		       const char *rel);

/*
 * Whether the directory REL of EYE contains a repository, at any depth, not just a pointer to one. 1, 0 or a
 * negative errno.
 */
int gitdir_is_within(struct open_view *open_view, struct ref dir, const char *rel);

#endif
