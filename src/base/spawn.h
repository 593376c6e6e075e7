/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a helper program with exactly the given descriptors. */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <sys/types.h>

#include "aisbx/error.h"

/* At most this many descriptors can be passed. */
#define SPAWN_MAX_FDS 8

struct spawn {
	int exec_fd;             /* the program, opened O_PATH */
	const char *const *argv; /* NULL-terminated */
	const char *const *env;  /* NULL-terminated */
	int fds[SPAWN_MAX_FDS];  /* becomes descriptor 0, 1, 2, ... in the child */
	int n_fds;
};

int spawn_start(const struct spawn *s, pid_t *ret_pid, struct aisbx_error *e);

#endif
