/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children of one parent that work side by side. What one has to say comes up by a pipe, a message at a
 * time. Nobody outlives the parent, however it ends; who is told to go is gone soon, with all that it runs.
 */
#ifndef FLOW_CREW_H
#define FLOW_CREW_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

/*
 * In the child: WORK does its part and returns; DATA goes to the parent whole, or the child ends, for nobody
 * is there to hear it.
 */
struct crew_link {
	int fd;
};
typedef void crew_work(void *ctx, size_t n, struct crew_link *up);
void crew_say(struct crew_link *up, const void *data, size_t len);

struct crew_events {
	void (*said)(void *ctx, size_t n, const char *data, size_t len);
	/* Last, when everything that it said was heard; STATUS as of waitpid. */
	void (*ended)(void *ctx, size_t n, int status);
};

struct crew_member;
struct crew {
	struct crew_member *members; /* owned */
	size_t n, live;
	struct crew_events events;
	void *ctx;
	int signals;       /* owned */
	int interrupted;   /* the signal that told the parent to end; 0: none */
	sigset_t old_mask; /* of signals */
};

/* For up to N members. From now until crew_finish SIGHUP, SIGINT and SIGTERM are the crew's. */
int crew_init(struct crew *c, size_t n, const struct crew_events *events, void *ctx, struct aisbx_error *e);
/* Ends who is left, at once. */
void crew_finish(struct crew *c);

/* Member I, that was not started before. */
int crew_start(struct crew *c, size_t i, crew_work *work, void *work_ctx, struct aisbx_error *e);
bool crew_is_live(const struct crew *c, size_t i);
/* Tells it to go; who does not is told again, and then ended. */
void crew_cancel(struct crew *c, size_t i);
/* The same for one of which nobody wants anything any more: without patience. */
void crew_end(struct crew *c, size_t i);
/*
 * Waits until something was said, somebody ended, a signal came or TIMEOUT_MS have passed, and tells of it.
 */
int crew_wait(struct crew *c, uint64_t timeout_ms, struct aisbx_error *e);

#endif
