/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command behind the glass that may change one directory. Landlock judges what is written there; modes and
 * times it does not judge, so the filter refuses those calls, and the supervisor makes them in the command's
 * place if they are about that directory.
 */
#ifndef LOOK_SCRATCH_H
#define LOOK_SCRATCH_H

#include <stdbool.h>

struct seccomp_notif;

/* What a notified call asks for. */
struct scratch_call {
	enum { SCRATCH_NO, SCRATCH_GO_ON, SCRATCH_MODE, SCRATCH_TIMES, SCRATCH_CUT } act;
	int error;          /* of SCRATCH_NO */
	char *path;         /* owned; absolute; NULL: none */
	unsigned int mode;  /* of SCRATCH_MODE */
	long long times[4]; /* of SCRATCH_TIMES: seconds and nanoseconds, of access and change */
	bool now;           /* then: the present instead */
	bool link;          /* the link itself is meant */
	long long size;     /* of SCRATCH_CUT */
};

/* Reads it from the memory of who calls; finish it with free(ret->path). */
void scratch_read(const struct seccomp_notif *n, struct scratch_call *ret);
/* Does it, if its path lies in DIR, which is open as FD. 0, or a negative errno to answer with. */
int scratch_do(const struct scratch_call *c, const char *dir, int fd);

#endif
