/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What git would take for one of its directories: ".git", however it is written, and any directory laid out
 * like a repository. Such a directory tells git what to run, so nothing in it ever goes from a box to a real
 * tree as a file.
 */
#ifndef LAYER_GITDIR_H
#define LAYER_GITDIR_H

#include <stdbool.h>

#include "layer/view.h"

/* NAME, of anything at all, is ".git" to git on some file system: in any case, as "git~1", with characters
 * that one passes over. */
bool gitdir_is_name(const char *name);
/* A part of PATH is. */
bool gitdir_has_name(const char *path);

/* PATH, absolute and of the host, is a git directory or lies in one. */
bool gitdir_holds(const char *path);

/*
 * The directory REL has, in A and B (may be NULL) taken together, what makes a repository: HEAD, and objects
 * and refs or where else those are. 1, 0 or a negative errno.
 */
int gitdir_is_laid_out(struct eye *a, struct ref dir_a, struct eye *b, struct ref dir_b, const char *rel);

/* Whether the directory REL of EYE holds a repository, at any depth: one that is more than a note of where it
 * is. 1, 0 or a negative errno. */
int gitdir_is_within(struct eye *eye, struct ref dir, const char *rel);

#endif
