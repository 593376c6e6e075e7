/* SPDX-License-Identifier: Apache-2.0 */
/* Counting what runs of aisbx may have left behind. */
#ifndef BOX_LEAKS_H
#define BOX_LEAKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct leaks {
	size_t processes, mounts, cgroups, namespaces, files;
	size_t live_boxes, dead_runs; /* no leaks */
	long kernel_nets;             /* network namespaces, ours and others'; -1: only root may ask */
	struct strlist found;         /* a line for each, but only so many */
	bool clean;                   /* every count of a leak is 0 */
};

/* By the variables of ENV. DESK: what names of directories begin with that judges of policies make. */
void leaks_count(const char *const *env, const char *desk, struct leaks *ret);
void leaks_finish(struct leaks *l);

#endif
