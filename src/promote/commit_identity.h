/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The author of a commit: read from a git configuration as text. git itself is not run, because a
 * configuration can tell it to run programs.
 */
#ifndef PROMOTE_COMMIT_IDENTITY_H
#define PROMOTE_COMMIT_IDENTITY_H

#include "aisbx/error.h"
#include "box/caller.h"

struct commit_identity {
	char *name, *email; /* owned; NULL: not known */
};

void commit_identity_finish(struct commit_identity *i);
/*
 * user.name and user.email of TEXT, the last of each; existing values are kept if it has none. False: no
 * memory.
 */
bool commit_identity_read(const char *text, struct commit_identity *i);
/* AUTHOR "NAME <MAIL>", or the caller's variables, or the caller's own configuration. */
int commit_identity_find(const struct caller *by, const char *author, struct commit_identity *ret,
			 struct aisbx_error *e);

#endif
