/* SPDX-License-Identifier: Apache-2.0 */
/* A person's shell in a box that stays: the box is made on demand, and what changed in it is counted. */
#ifndef BOX_SHELL_H
#define BOX_SHELL_H

#include "box/execute.h"
#include "layer/change.h"

struct shell_done {
	char box[STORE_NAME_MAX + 1]; /* its name */
	const char *image_shell;      /* of one that stands on an image: its own; NULL: the person's */
	bool made;                    /* for this shell */
	bool current;                 /* and it became the current box of its project */
	bool removed;                 /* for nothing happened in it */
	bool counted;                 /* else why: */
	struct aisbx_error uncounted;
	size_t changes[CHANGE_KIND_COUNT]; /* of the project, as `diff` counts them */
	struct run_report report;
};

void shell_done_finish(struct shell_done *d);

/*
 * In the box KEY, which is made if it does not exist; NULL: a new one. Of
 * W everything but box and command is used; project and profile are for a box that is made. Ends with the
 * shell.
 */
int shell_run(const struct caller *by, const char *key, struct run_options *w, struct shell_done *ret,
	      struct aisbx_error *e);

#endif
