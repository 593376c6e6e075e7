/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Name and e-mail address in the text of a git configuration. git itself is not run, because a configuration
 * can tell it to run programs; files that it includes are not followed.
 */
#ifndef POLICY_GIT_IDENTITY_H
#define POLICY_GIT_IDENTITY_H

#include <stdbool.h>

#include "base/buf.h"

struct git_identity {
	char *name, *email; /* owned; NULL: not known */
};

void git_identity_finish(struct git_identity *i);
/*
 * user.name and user.email of TEXT, the last of each; existing values are kept if it has none. False: no
 * memory.
 */
bool git_identity_read(const char *text, struct git_identity *i);
/* A configuration that says these two and nothing else; nothing if neither is known. */
void git_identity_write(const struct git_identity *i, struct buf *ret);

#endif
