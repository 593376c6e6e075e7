/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What git would ignore of a box's changes: by the rules of the repositories around it, and never tracked
 * files. Git itself is not run, because it obeys files in a repository; the helper aisbx-merge is.
 */
#ifndef LAYER_IGNORE_H
#define LAYER_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "layer/view.h"

struct ignore_item {
	const char *path; /* borrowed; below the project, no leading or trailing slash; nothing of a git
			     directory */
	bool is_dir;
	bool ignored; /* outcome */
};

/*
 * Fills `ignored` of ITEMS, which are in any order. A path belongs to the innermost repository around it;
 * everything in a directory that an outer one ignores is ignored. A directory with a tracked file below it is
 * not: then each file is checked separately. Rules are the .gitignore files, info/exclude and the index as
 * EYE sees them, and the person's own $XDG_CONFIG_HOME/git/ignore. If the project is not a repository, one
 * above it on the host is used, if it belongs to the same person and does not ignore the project itself.
 * Without a repository nothing is ignored. SCRATCH: an empty directory of ours, absolute, which is filled;
 * the caller removes it.
 */
int ignore_find(struct open_view *open_view, struct ignore_item *items, size_t n, const char *scratch,
		struct aisbx_error *e);

#endif
