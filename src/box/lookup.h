/* SPDX-License-Identifier: Apache-2.0 */
/* A box found by name in the open state directory, and locked if requested. */
#ifndef BOX_LOOKUP_H
#define BOX_LOOKUP_H

#include "box/box.h"

/* A box found and locked in an open state directory. */
struct lookup {
	struct box_state state;
	struct store_box box;
	char snapshot[STORE_NAME_MAX + 1]; /* "" without one */
	int lock;
};

#define LOOKUP_INIT        \
	{                  \
		.lock = -1 \
	}

/* LOCK: nobody else may use the box until lookup_finish. */
int lookup_open_box(const char *key, bool lock, struct lookup *ret, struct aisbx_error *e);
/* KEY may also be "BOX@SNAPSHOT". */
int lookup_open(const char *key, bool lock, struct lookup *ret, struct aisbx_error *e);
void lookup_finish(struct lookup *p);

#endif
