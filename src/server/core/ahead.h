/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that are expected: who has run a program given as text will run another, so while nothing else is to
 * be done a child makes its box, and waits in it for the program. Each is used once, by a call that differs
 * in nothing else. Inside server/core only.
 */
#ifndef SERVER_CORE_AHEAD_H
#define SERVER_CORE_AHEAD_H

#include "server/core/call.h"

/* A child that has its request; everything is the taker's. */
struct ahead_taken {
	pid_t pid;
	int exited;            /* its pidfd */
	int report, output[2]; /* as of every call */
};

/* One begins, or has ended: while any goes on nothing is made. */
void ahead_begin(struct loop *l, const struct op *op, const json_t *args, const struct call_how *how);
void ahead_end(void);
/* Hands the call to a child that waits for one like it; false: there is none. */
bool ahead_take(const struct op *op, const json_t *args, const struct call_how *how, bool streams,
		struct ahead_taken *ret);

#endif
