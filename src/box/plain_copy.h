/* SPDX-License-Identifier: Apache-2.0 */
/* A plain copy of a project, for a command that has no clone: on a machine where no box can be built. */
#ifndef BOX_PLAIN_COPY_H
#define BOX_PLAIN_COPY_H

#include "aisbx/error.h"

struct plain_copy {
	char *dir;     /* owned; a private directory with the rest in it */
	char *project; /* owned; the copy */
	char *home;    /* owned; an empty home */
	char *tmp;     /* owned; an empty place for temporary files */
	int lock;      /* owned; held as long as somebody uses it */
};

#define PLAIN_COPY_INIT    \
	{                  \
		.lock = -1 \
	}

/* Also removes those that a killed process left. In the state directory, or what XDG_STATE_HOME names. */
int plain_copy_make(const char *project, struct plain_copy *ret, struct aisbx_error *e);
/* Removes it with everything in it. */
void plain_copy_finish(struct plain_copy *c);

#endif
