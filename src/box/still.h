/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot that is held still: of a box that is in use, by a fork that stands on it as long as somebody
 * works with it. */
#ifndef BOX_STILL_H
#define BOX_STILL_H

#include "box/lifecycle.h"

struct still {
	struct box_scratch fork; /* without name: the box was free, and is locked itself */
	struct store_box of;     /* then: the box that is meant */
};

/*
 * Opens BOX or BOX@SNAPSHOT and locks it. Where a run uses the box, of a snapshot, a fork of it is made and
 * opened instead: RET then is that, as it is. Who is asked for the box as it is refuses, for that changes.
 */
int still_open(const char *key, struct still *s, struct point *ret, struct aisbx_error *e);
/* After the point was closed. */
void still_finish(struct still *s);

#endif
