/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The current box of a project: the one that a person's commands there are for, until another is chosen. Only
 * the command line asks for it; over the protocols a missing box means what it says there.
 */
#ifndef BOX_CURRENT_H
#define BOX_CURRENT_H

#include "box/box.h"

struct box_current {
	char id[STORE_ID_MAX];      /* "": there is none */
	char name[BOX_KEY_MAX + 1]; /* as people name it: NAME or OWNER/NAME */
	bool gone;                  /* there was one of that name, but the box was removed */
};

/* PROJECT: absolute. Where nobody ever chose one, the store is not opened. */
int box_current_find(const char *project, struct box_current *ret, struct aisbx_error *e);
/* KEY: a box of this project, as people name it. */
int box_current_set(const char *project, const char *key, struct box_current *ret, struct aisbx_error *e);
int box_current_forget(const char *project, struct aisbx_error *e);

#endif
