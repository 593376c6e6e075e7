/* SPDX-License-Identifier: Apache-2.0 */
/* What a box has on the disk of the host, in its top layer, and who holds the limit on it: a quota, or who
 * watches. */
#ifndef BOX_KEPT_H
#define BOX_KEPT_H

#include "driver/driver.h"

struct box_kept {
	struct run_disk disk;   /* for the limits of a run_spec */
	const uint64_t *limits; /* borrowed; of enum limit */
};

/* DIR, borrowed: of the layer. */
void box_kept_init(struct box_kept *k, int dir, const uint64_t *limits);
/* If NAME, a box, has too much already: it would only be started to be stopped, and is refused with what to
 * do instead. */
int box_kept_check(const struct box_kept *k, const char *name, struct aisbx_error *e);
/* The walls are up, so all directories of the layer are there; the command has not started. */
void box_kept_hold(struct box_kept *k);
/* The run is over; RESULT, unless it is NULL, is told who held the limits. */
void box_kept_release(const struct box_kept *k, struct driver_result *result);

#endif
