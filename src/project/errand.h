/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be done while nobody looks: one errand of the queue, which anybody may have written and is read
 * as hostile, and the authority under which errands are run, which is the person's own. Pure; no system
 * calls.
 */
#ifndef PROJECT_ERRAND_H
#define PROJECT_ERRAND_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/str.h"
#include "project/project.h"

#define ERRAND_MAX_BYTES 65536u

struct errand {
	struct strlist command;  /* one text for a shell is one item; none: an experiment */
	struct strlist branches; /* of an experiment: texts for a shell */
	char *test;              /* owned; of an experiment; NULL: the intent test */
	char *where;             /* owned; an absolute path */
	uint64_t timeout_ms;     /* 0: none said */
	bool again;              /* to be run once more when it was interrupted */
};

struct authority {
	bool may[GUARD_ACT_COUNT];         /* "run", "look" and "box" can be said; run says look as well */
	struct strlist where;              /* directories, with all below them */
	struct strlist promote;            /* where what a box did may go in */
	struct strlist gates;              /* must hold before */
	uint64_t until;                    /* seconds since 1970; 0: for ever */
	uint64_t actions, time_ms, cpu_ms; /* 0: none at all of actions; no limit of the others */
};

int errand_parse(const char *text, size_t len, const char *file, struct errand *ret, struct aisbx_error *e);
void errand_finish(struct errand *a);
int authority_parse(const char *text, size_t len, const char *file, struct authority *ret,
		    struct aisbx_error *e);
void authority_finish(struct authority *a);

#endif
