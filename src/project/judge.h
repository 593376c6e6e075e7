/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges: the script that a gate runs, test files, settings of test runners. The person's own version is used
 * while a box is judged, and a change of one is a trap. Pure; no system calls.
 */
#ifndef PROJECT_JUDGE_H
#define PROJECT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "project/intent.h"
#include "project/project.h"

/* The later, the stronger. */
enum judge_kind {
	JUDGE_NONE,
	JUDGE_TEST, /* the person's version is used; a file that only the box has is an addition */
	/* the person's version is used, and a file that only the box has is not: it would decide how to judge
	 */
	JUDGE_SETTING,
	JUDGE_SCRIPT, /* the same, of a file that is run */
};

struct judge {
	char *dir, *pattern; /* owned; the pattern is for paths relative to the directory */
	enum judge_kind kind;
};

struct judges {
	struct judge *items; /* owned */
	size_t n;
	bool failed; /* no memory */
};

void judges_finish(struct judges *j);
/*
 * PATTERN: a path, which includes everything below it; with '*' and '?' in a name and '**' for directories;
 * "**" "/NAME/" is a directory of that name anywhere.
 */
void judges_add(struct judges *j, const char *dir, const char *pattern, enum judge_kind kind);
/* The judges of a command that runs in DIR; TESTS: it is known to run tests. */
void judges_add_command(struct judges *j, const struct strlist *argv, const char *dir, bool tests);
/* The same for a command of the project, in PROJECT unless its file is elsewhere. */
void judges_add_way(struct judges *j, const struct intent_way *w, const char *project);
/* Those of the project's own list. */
void judges_add_listed(struct judges *j, const struct project *p);
/* All judges of P; WAYS: the project's commands for its checks, in PROJECT. */
void judges_add_all(struct judges *j, const struct project *p, const struct intent_list *ways,
		    const char *project);
/* What PATH (absolute, clean) is; the strongest of several. */
enum judge_kind judges_find(const struct judges *j, const char *path);

#endif
