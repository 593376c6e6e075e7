/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Child processes of one parent that work side by side. Each sends messages over a pipe. None outlives the
 * parent, however it ends; a child that is told to stop ends soon, with everything it runs.
 */
#ifndef FLOW_WORKERS_H
#define FLOW_WORKERS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

/*
 * In the child: WORK does its part and returns; DATA goes to the parent as a whole, or the child ends,
 * because the parent is gone.
 */
struct worker_link {
	int fd;
};
typedef void worker_fn(void *ctx, size_t n, struct worker_link *up);
void worker_say(struct worker_link *up, const void *data, size_t len);

struct worker_events {
	void (*said)(void *ctx, size_t n, const char *data, size_t len);
	/* Last, after all its messages; STATUS as from waitpid. */
	void (*ended)(void *ctx, size_t n, int status);
};

struct worker;
struct workers {
	struct worker *members; /* owned */
	size_t n, live;
	struct worker_events events;
	void *ctx;
	int signals;       /* owned */
	int interrupted;   /* the signal that told the parent to end; 0: none */
	sigset_t old_mask; /* of signals */
};

/* For up to N members. From now until workers_finish SIGHUP, SIGINT and SIGTERM are handled by the crew. */
int workers_init(struct workers *c, size_t n, const struct worker_events *events, void *ctx,
		 struct aisbx_error *e);
/* Kills the remaining members at once. */
void workers_finish(struct workers *c);

/* Member I, which was not started before. */
int workers_start(struct workers *c, size_t i, worker_fn *work, void *work_ctx, struct aisbx_error *e);
bool workers_is_live(const struct workers *c, size_t i);
/* Asks it to end; asks again, then kills it. */
void workers_cancel(struct workers *c, size_t i);
/* The same for a member whose result is not needed any more: without waiting. */
void workers_end(struct workers *c, size_t i);
/* Waits until a message came, a member ended, a signal came or TIMEOUT_MS have passed, and reports it. */
int workers_wait(struct workers *c, uint64_t timeout_ms, struct aisbx_error *e);

#endif
