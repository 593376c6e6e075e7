/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to aisbx's RPC: lines of text in both directions, which do not block each other. */
#ifndef LIB_PIPE_H
#define LIB_PIPE_H

#include <sys/types.h>

#include "aisbx/aisbx.h"
#include "base/buf.h"

struct rpc_pipe {
	int fd;    /* owned; -1: none */
	pid_t pid; /* 0: it was already running */
	int wake;  /* owned; readable if another thread has something to add */
	struct buf in, out;
	size_t out_at, taken; /* sent of `out`; handed out of `in` */
};

int rpc_pipe_open(const struct aisbx_options *options, struct rpc_pipe *ret, struct aisbx_error *e);
void rpc_pipe_close(struct rpc_pipe *p);
/* Is sent while waiting for lines. */
void rpc_pipe_add(struct rpc_pipe *p, const char *line, size_t len);
/* 1: the next line, without its end, valid until the next call; 0: rpc_pipe_wake was called. */
int rpc_pipe_next(struct rpc_pipe *p, const char **ret_line, size_t *ret_len, struct aisbx_error *e);
/* From any thread, or a signal handler. */
void rpc_pipe_wake(struct rpc_pipe *p);
/* Earlier calls of rpc_pipe_wake do not count for what follows. */
void rpc_pipe_forget_wake(struct rpc_pipe *p);

#endif
