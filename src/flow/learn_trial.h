/* SPDX-License-Identifier: Apache-2.0 */
/* The same command again and again, each time with another profile: did it go as the first time? */
#ifndef FLOW_LEARN_TRIAL_H
#define FLOW_LEARN_TRIAL_H

#include <stdbool.h>

#include "box/run_options.h"

/* What changes from one trial to the next. */
struct trial_case {
	bool as_asked; /* the profile is that of the wish, and the rest does not count */
	struct profile profile;
	const struct strlist
		*pass; /* borrowed; "NAME=VALUE" that are set beside those of the profile; NULL: none */
};

struct trial {
	struct caller by;              /* without input, with the output kept */
	const struct run_options *run; /* borrowed */
	struct driver_result first;    /* that the others are compared with */
	bool steady[2];                /* its output is the same every time, on stdout and on stderr */
	unsigned int runs, most;       /* so far; and that there may be */
	struct run_usage peak;         /* of all runs that were like the first */
	uint64_t wall_us, output;      /* the same */
	enum limit over;               /* what ended the last one; LIMIT_COUNT: no limit did */
};

void trial_finish(struct trial *t);
/* Runs twice with the profile that RUN asks for, and keeps what came out. RET_PROFILE: that profile. */
int trial_begin(struct trial *t, const struct caller *by, const struct run_options *run,
		struct profile *ret_profile, struct aisbx_error *e);
/*
 * One more: *RET_SAME if it ended the same way, had the same output (if that is stable) and caused no new
 * violations. A run that cannot even be started, for example with too little memory, is not the same; neither
 * is one beyond the limit of runs.
 */
int trial_run(struct trial *t, const struct trial_case *c, bool *ret_same, struct aisbx_error *e);

#endif
