/* SPDX-License-Identifier: Apache-2.0 */
/* For promote: both sides have commits of their own. They are joined in a fork of the box, which then goes on
 * from where the host is. */
#ifndef OP_PROMOTE_JOIN_H
#define OP_PROMOTE_JOIN_H

#include "box/box.h"
#include "op/op.h"

struct promote_join {
	char name[STORE_NAME_MAX + 1]; /* of the fork; "": there is none */
};

/*
 * Forks BOX (NAME[@SNAPSHOT], of PROJECT, not locked), there merges the host's commit ID into it, or with
 * REBASE puts the box's commits on top of it, and judges the outcome by the project's gates. An error: it
 * could not be, and nothing was changed.
 */
int promote_join(struct op_context *ctx, const char *box, const char *project, const char *id, bool rebase,
		 struct promote_join *ret, struct aisbx_error *e);
/* The fork has done its work, or never will. */
void promote_join_finish(struct promote_join *j);

#endif
