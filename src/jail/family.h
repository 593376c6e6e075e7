/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of the box by ancestry: a command and all it ever started, wherever they hid. */
#ifndef JAIL_FAMILY_H
#define JAIL_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
	pid_t pid, parent, group;
	char state;         /* as /proc/PID/stat has it */
	bool rests;         /* for who looks at them one after the other */
	unsigned int depth; /* steps up to who has no parent in the box; 0: not known yet */
	pid_t family;       /* the nearest of the roots above it; 0: none was found */
};

/* Everybody in the box but pid 1, parents before their children. */
struct census {
	struct process *list; /* owned; reused by the next census_take */
	size_t n, cap;
};

/*
 * ROOTS are those whom orphans come to: who loses his parent becomes a child of the nearest one above him, so
 * nobody gets out of his family. A box may be full of processes, so this takes n log n.
 */
int census_take(struct census *c, const pid_t *roots, size_t n_roots);
void census_finish(struct census *c);
/* Of pid P; NULL: it was not there. Slow. */
const struct process *census_find(const struct census *c, pid_t pid);

/* Also a process of another user, where we have the right to become that one. */
int family_signal(pid_t pid, int sig);

/* Stopped, or on its way out: of its first thread. */
bool process_rests(const struct process *p);
/* The same of every thread: a first thread that ended leaves others behind that run on. */
bool process_threads_rest(pid_t pid);

#endif
