/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of one machine: a run waits here while more of this user's are under way than queue.yaml allows,
 * or while there is no memory for another. There is no daemon: who ends lets the next begin, and who waits
 * longest looks whether somebody was killed.
 */
#ifndef BOX_TURN_H
#define BOX_TURN_H

#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "box/caller.h"
#include "run/spec.h"

struct turn {
	int fd;       /* owned; the table, where the place is locked; -1: it has none */
	size_t place; /* in it */
	uint64_t waited_ms;
};

#define TURN_INIT        \
	{                \
		.fd = -1 \
	}

/* For whom this process acts: the owner of boxes, or whoever has this session of the terminal. */
uint64_t turn_caller(void);
/*
 * Returns when the run of SPEC may begin; it is one of CALLER. LISTENER: where others ask about it meanwhile.
 * A person who waits is told why. -EBUSY: it has waited as long as queue.yaml allows.
 */
int turn_take(const struct caller *by, uint64_t caller, const struct run_spec *spec, int listener,
	      struct turn *ret, struct aisbx_error *e);
/* Its run has ended. */
void turn_give(struct turn *t);

#endif
