/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a snapshot of a box in use available, by a fork that exists as long as somebody works with it. */
#ifndef BOX_HOLD_H
#define BOX_HOLD_H

#include "box/lifecycle.h"

struct hold {
	struct box_scratch fork; /* no name: the box was free, and is locked itself */
	struct store_box of;     /* with a name: the original box */
};

/*
 * Opens BOX or BOX@SNAPSHOT and locks it. If a run uses the box, a snapshot is forked and the fork opened
 * instead: RET is the fork. The current state of a box in use is refused, because it changes.
 */
int hold_open(const char *key, struct hold *s, struct lookup *ret, struct aisbx_error *e);
/* After the point was closed. */
void hold_finish(struct hold *s);

#endif
