/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command of the person's own, run outside of any box: the only code that does so. Only for what the
 * person's own aisbx.yaml says, and only after they approved; the caller ensures both.
 */
#ifndef FLOW_COMMAND_H
#define FLOW_COMMAND_H

#include "aisbx/error.h"
#include "base/str.h"

struct flow_command {
	const struct strlist *argv; /* found by PATH */
	const char *dir;
	const char *const *env;     /* of the person */
	const struct strlist *more; /* "NAME=VALUE", before those of ENV */
	int out_fds[2];             /* -1: only the end of its output is kept */
	int held_fd;                /* stays open in it and in its child processes: a lock; -1: none */
};

struct flow_command_end {
	int status;      /* exit status; 128 plus the signal that ended it */
	char said[1024]; /* the end of its output, if that went nowhere else */
};

/* An error: it was not started. */
int flow_command_run(const struct flow_command *c, struct flow_command_end *ret, struct aisbx_error *e);

#endif
