/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unattended work: one item of the queue, which anybody may have written and is not trusted, and the
 * authority under which items are run, which is the person's own. Pure; no system calls.
 */
#ifndef PROJECT_QUEUED_TASK_H
#define PROJECT_QUEUED_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/str.h"
#include "project/project.h"

#define QUEUED_TASK_MAX_BYTES 65536u

struct queued_task {
	struct strlist command;  /* one shell command is one item; none: an experiment */
	struct strlist branches; /* of an experiment: texts for a shell */
	char *test;              /* owned; of an experiment; NULL: the intent test */
	char *where;             /* owned; an absolute path */
	uint64_t timeout_ms;     /* 0: none said */
	bool again;              /* to be run again if it was interrupted */
};

struct authority {
	bool may[GUARD_ACT_COUNT];         /* "run", "look" and "box" are possible; run includes look */
	struct strlist where;              /* directories, with everything below them */
	struct strlist promote;            /* where changes of a box may be promoted to */
	struct strlist gates;              /* must hold before */
	uint64_t until;                    /* seconds since 1970; 0: no limit */
	uint64_t actions, time_ms, cpu_ms; /* 0: no actions at all; no limit for the others */
};

int queued_task_parse(const char *text, size_t len, const char *file, struct queued_task *ret,
		      struct aisbx_error *e);
void queued_task_finish(struct queued_task *a);
int authority_parse(const char *text, size_t len, const char *file, struct authority *ret,
		    struct aisbx_error *e);
void authority_finish(struct authority *a);

#endif
