/* SPDX-License-Identifier: Apache-2.0 */
/* The author of a commit: of an option, of variables, or of the person's git configuration. */
#ifndef PROMOTE_COMMIT_IDENTITY_H
#define PROMOTE_COMMIT_IDENTITY_H

#include "aisbx/error.h"
#include "box/caller.h"
#include "policy/git_identity.h"

/* AUTHOR "NAME <MAIL>", or the caller's variables, or the caller's own configuration. */
int commit_identity_find(const struct caller *by, const char *author, struct git_identity *ret,
			 struct aisbx_error *e);

#endif
