/* SPDX-License-Identifier: Apache-2.0 */
/* For promote: both sides have commits of their own. They are joined in a fork of the box, which then goes on
 * from where the host is. */
#ifndef FLOW_PROMOTE_JOIN_H
#define FLOW_PROMOTE_JOIN_H

#include "box/lifecycle.h"
#include "op/op.h"

/*
 * Forks BOX (NAME[@SNAPSHOT], of PROJECT, not locked), there merges the host's commit ID into it, or with
 * REBASE puts the box's commits on top of it, and judges the outcome by the project's gates. An error: it
 * could not be, and nothing was changed. RET is the fork.
 */
int promote_join(struct op_context *ctx, const char *box, const char *project, const char *id, bool rebase,
		 struct box_scratch *ret, struct aisbx_error *e);

#endif
