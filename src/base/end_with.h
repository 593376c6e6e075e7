/* SPDX-License-Identifier: Apache-2.0 */
/* A process that does not outlive the one that made it. */
#ifndef BASE_END_WITH_H
#define BASE_END_WITH_H

#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * First thing in a new process: it gets SIG when PARENT, which made it, ends. False: that has ended before
 * this was asked, or it cannot be asked. No signal would come then, so end.
 */
static inline bool end_with(pid_t parent, int sig)
{
	return prctl(PR_SET_PDEATHSIG, (unsigned long)sig) == 0 && getppid() == parent;
}

#endif
