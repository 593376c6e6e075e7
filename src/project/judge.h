/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a change is judged by: the script that a gate runs, test files, settings of who runs tests. The
 * person's own version of them counts while a box is judged, and a change of one is a trap. Pure; no system
 * calls.
 */
#ifndef PROJECT_JUDGE_H
#define PROJECT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "project/intent.h"
#include "project/project.h"

/* The later, the more. */
enum judge_kind {
	JUDGE_NONE,
	JUDGE_TEST,    /* what the person has counts; one that only the box has is an addition */
	JUDGE_SETTING, /* what the person has counts, and one that only the box has does not: it would say how
			  to judge */
	JUDGE_SCRIPT,  /* the same, of a file that is run */
};

struct judge {
	char *dir, *pattern; /* owned; the pattern is of paths below the directory */
	enum judge_kind kind;
};

struct judges {
	struct judge *items; /* owned */
	size_t n;
	bool failed; /* no memory */
};

void judges_finish(struct judges *j);
/*
 * PATTERN: a path, which stands for all below it as well; with '*' and '?' in a name and '**' for
 * directories;
 * "**" "/NAME/" is a directory of that name anywhere.
 */
void judges_add(struct judges *j, const char *dir, const char *pattern, enum judge_kind kind);
/* By what a command judges that runs in DIR; TESTS: it is known to run tests. */
void judges_add_command(struct judges *j, const struct strlist *argv, const char *dir, bool tests);
/* The same of a way of the project's, in PROJECT unless its file lies elsewhere. */
void judges_add_way(struct judges *j, const struct intent_way *w, const char *project);
/* Those the project's own list names. */
void judges_add_listed(struct judges *j, const struct project *p);
/* All by which anything is judged that P says; WAYS: how the project does what its checks
 * name, in PROJECT. */
void judges_add_all(struct judges *j, const struct project *p, const struct intent_list *ways,
		    const char *project);
/* What PATH (absolute, clean) is; of several the most. */
enum judge_kind judges_find(const struct judges *j, const char *path);

#endif
