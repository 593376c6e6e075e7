/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what runs of aisbx may have left behind. */
#ifndef BOX_LEAKS_H
#define BOX_LEAKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct leaks {
	size_t processes, mounts, cgroups, namespaces, files;
	size_t live_boxes, dead_runs; /* no leaks */
	long kernel_nets;             /* all network namespaces; -1: only root may ask */
	struct strlist found;         /* a line for each, up to a limit */
	bool clean;                   /* every count of a leak is 0 */
};

/* Uses the variables of ENV. DESK: prefix of the directories that policy checks make. */
void leaks_count(const char *const *env, const char *scratch_dir, struct leaks *ret);
void leaks_finish(struct leaks *l);

#endif
