/* SPDX-License-Identifier: Apache-2.0 */
/* Disk usage of a box on the host, in its top layer, and what enforces its limit: a quota, or a watcher. */
#ifndef BOX_DISK_USE_H
#define BOX_DISK_USE_H

#include "driver/driver.h"

struct box_disk_use {
	struct run_disk disk;   /* for the limits of a run_spec */
	const uint64_t *limits; /* borrowed; of enum limit */
};

/* DIR, borrowed: of the layer. */
void box_disk_use_init(struct box_disk_use *k, int dir, const uint64_t *limits);
/*
 * If NAME, a box, exceeds its limit already, it is refused with what to do instead: it would be stopped at
 * once.
 */
int box_disk_use_check(const struct box_disk_use *k, const char *name, struct aisbx_error *e);
/* The walls are built, so all directories of the layer exist; the command has not started. */
void box_disk_use_hold(struct box_disk_use *k);
/* The run has ended; records in RESULT, unless it is NULL, what enforced the limits. */
void box_disk_use_release(const struct box_disk_use *k, struct driver_result *result);

#endif
