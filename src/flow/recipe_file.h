/* SPDX-License-Identifier: Apache-2.0 */
/* Recipes and their locks as files: the person's, the machine's, and those that aisbx ships. */
#ifndef FLOW_RECIPE_FILE_H
#define FLOW_RECIPE_FILE_H

#include "base/buf.h"
#include "project/recipe.h"

struct recipe_file {
	struct recipe recipe; /* owned, as all */
	char *path;           /* where it was found */
	struct buf text;
	char *lock_path; /* of the lock, or where it will be */
	bool locked;     /* it is there, and valid */
	struct buf lock;
};

void recipe_file_finish(struct recipe_file *f);
/*
 * REF is a file, with a '/' or ending with ".yaml", or a name: of ~/.config/aisbx/recipes, /etc/aisbx/recipes
 * or a shipped one. The lock is beside it; for one that is not the person's own, in the first of these. CWD:
 * what a file is relative to. LOCK false: the lock is not read, for it will be made anew.
 */
int recipe_file_read(const char *ref, const char *cwd, bool lock, struct recipe_file *ret,
		     struct aisbx_error *e);
/* The lock is TEXT from now on: checked, and written in one step. */
int recipe_file_lock(struct recipe_file *f, const struct buf *text, struct aisbx_error *e);

#endif
