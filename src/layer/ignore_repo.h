/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a repository that decide what it ignores, and a small copy of them for libgit2 to read. */
#ifndef LAYER_IGNORE_REPO_H
#define LAYER_IGNORE_REPO_H

#include <stdbool.h>
#include <stddef.h>

#include "layer/tree_root.h"
#include "layer/view.h"

struct ignore_repo {
	char *dir; /* owned; its directory below the project; "": the project, or one above it */
	/* owned; from its directory to `dir`, with a trailing slash; "" unless it is above the project */
	char *prefix;
	struct tree_root above; /* its directory on the host, when it is above the project */
	char *copy;             /* owned; the copy's path; NULL: not made */
	int fd;                 /* owned; the same, open */
	bool has_index;         /* at the path of the copy with ".index" behind it */
	size_t left;            /* bytes of rules that may still be copied */
};

#define IGNORE_REPO_INIT                          \
	{                                         \
		.above = TREE_ROOT_INIT, .fd = -1 \
	}

void ignore_repo_finish(struct ignore_repo *r);

/* Whether DIR of the project contains a repository, as git defines it. Negative errno. */
int ignore_repo_is(struct open_view *open_view, const char *dir);
/*
 * Its git directory is in that of a repository of the project: a submodule's or a linked work tree's. Then
 * the rules of that one do not apply to it.
 */
bool ignore_repo_is_joined(struct open_view *open_view, const char *dir);
/* The nearest one above the project, or 0 if there is none that applies; 1: *RET is it. */
int ignore_repo_find_above(struct open_view *open_view, struct ignore_repo *ret, struct aisbx_error *e);
/* Starts the copy at PATH, with what applies to all of it. */
int ignore_repo_lay_out(struct open_view *open_view, struct ignore_repo *r, const char *path,
			struct aisbx_error *e);
/* Copies the .gitignore of DIR, which is below the project. */
int ignore_repo_add(struct open_view *open_view, struct ignore_repo *r, const char *dir,
		    struct aisbx_error *e);

#endif
