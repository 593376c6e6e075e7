/* SPDX-License-Identifier: Apache-2.0 */
/* What live runs use, once or again and again. */
#ifndef BOX_STATS_H
#define BOX_STATS_H

#include "base/str.h"
#include "box/live_run.h"

/* All there are at one time. */
struct run_look {
	struct live_run *runs; /* owned */
	size_t n;
	uint64_t time_us;
};

/* What a run used of one processor, since BEFORE; below 0: not known. */
double run_look_percent(const struct live_run *now, const struct run_look *before, uint64_t time_us_now);

struct run_stats_request {
	const struct strlist *runs; /* borrowed; NULL: all that live */
	bool follow;                /* until they have ended; else once */
	uint64_t interval_ms;
	/* Takes a look, and the one before it. MORE: another follows, unless it says no. */
	bool (*tell)(void *ctx, const struct run_look *now, const struct run_look *before, bool more);
	void *ctx; /* borrowed */
};

int run_stats(const struct run_stats_request *req, struct aisbx_error *e);

#endif
