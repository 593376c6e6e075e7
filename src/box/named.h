/* SPDX-License-Identifier: Apache-2.0 */
/* A box found by name in the open state directory, and locked if requested. */
#ifndef BOX_NAMED_H
#define BOX_NAMED_H

#include "box/box.h"

/* A box found and locked in an open state directory. */
struct point {
	struct box_shelf shelf;
	struct store_box box;
	char snapshot[STORE_NAME_MAX + 1]; /* "" without one */
	int lock;
};

#define POINT_INIT         \
	{                  \
		.lock = -1 \
	}

/* LOCK: nobody else may use the box until point_finish. */
int point_open_box(const char *key, bool lock, struct point *ret, struct aisbx_error *e);
/* KEY may also be "BOX@SNAPSHOT". */
int point_open(const char *key, bool lock, struct point *ret, struct aisbx_error *e);
void point_finish(struct point *p);

#endif
