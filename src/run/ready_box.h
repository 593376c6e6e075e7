/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A box that stands before its command's input is known: made ahead by who expects to be asked for the same
 * again, used once, by a run that would have made the very same box.
 */
#ifndef RUN_READY_BOX_H
#define RUN_READY_BOX_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/buf.h"
#include "jail/plan.h"

struct run;
struct run_outcome;
struct run_spec;

#define READY_BOX_FILES 3
/* How long one may wait to be used. */
#define READY_BOX_MS 60000u

/* Of one process; all zero: there is none. */
struct ready_box {
	char run_id[24]; /* of the run that is to use it: the box knows it */
	bool make;       /* the run is to make it, and to run nothing; it ends with -ECANCELED */
	struct run *run; /* owned; NULL: there is none */
	struct buf plan; /* owned; by which it was made */
	struct jail_plan_order order;
	uint64_t held[LIMIT_COUNT];
	/* of files that the plan only names: others may be at their paths by now. For the driver */
	struct {
		uint64_t device, inode;
		struct timespec changed;
	} files[READY_BOX_FILES];
};

/* Lets R, which has begun, start its command, whose input stays empty and open. An error frees R. */
int ready_box_make(struct run *r, int plan_fd, struct aisbx_error *e);
/* -ESTALE, and E as it was: the box of R has ended; R is freed. Else as run_supervise: the command of R gets
 * the input of SPEC, and the run is SPEC's from now on. */
int ready_box_use(struct run *r, const struct run_spec *spec, struct run_outcome *ret_outcome,
		  struct aisbx_error *e);
/* It is not used. */
void ready_box_drop(struct ready_box *ready);

#endif
