/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of the box by ancestry: a command and all processes it ever started. */
#ifndef JAIL_FAMILY_H
#define JAIL_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
	pid_t pid, parent, group;
	char state;         /* as in /proc/PID/stat */
	bool rests;         /* for who looks at them one after the other */
	unsigned int depth; /* steps up to a process without a parent in the box; 0: not known yet */
	pid_t family;       /* the nearest of the roots above it; 0: none */
};

/* All processes of the box except pid 1, parents before their children. */
struct census {
	struct process *list; /* owned; reused by the next census_take */
	size_t n, cap;
};

/*
 * ROOTS are the processes that adopt orphans: a process that loses its parent becomes a child of the nearest
 * root above it, so no process leaves its family. A box may be full of processes, so this takes n log n.
 */
int census_take(struct census *c, const pid_t *roots, size_t n_roots);
void census_finish(struct census *c);
/* Of pid P; NULL: not found. Slow. */
const struct process *census_find(const struct census *c, pid_t pid);

/* Also a process of another user, if we have the right to become that user. */
int family_signal(pid_t pid, int sig);

/* Stopped, or exiting: of its first thread. */
bool process_rests(const struct process *p);
/* The same for every thread: after a first thread ended, others may still run. */
bool process_threads_rest(pid_t pid);

#endif
