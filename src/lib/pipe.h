/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to aisbx's RPC: lines of text to and from it, without a lock between the two directions. */
#ifndef LIB_PIPE_H
#define LIB_PIPE_H

#include <sys/types.h>

#include "aisbx/aisbx.h"
#include "base/buf.h"

struct rpc_pipe {
	int fd;    /* owned; -1: none */
	pid_t pid; /* 0: it was there before us */
	int wake;  /* owned; readable when somebody has something to add */
	struct buf in, out;
	size_t out_at, taken; /* sent of `out`; handed out of `in` */
};

int rpc_pipe_open(const struct aisbx_options *options, struct rpc_pipe *ret, struct aisbx_error *e);
void rpc_pipe_close(struct rpc_pipe *p);
/* Is sent while lines are awaited. */
void rpc_pipe_add(struct rpc_pipe *p, const char *line, size_t len);
/* 1: the next line, without its end, until the next call; 0: somebody called rpc_pipe_wake. */
int rpc_pipe_next(struct rpc_pipe *p, const char **ret_line, size_t *ret_len, struct aisbx_error *e);
/* From any thread, or a signal handler. */
void rpc_pipe_wake(struct rpc_pipe *p);
/* What was called until now was not meant for what comes. */
void rpc_pipe_forget_wake(struct rpc_pipe *p);

#endif
