/* SPDX-License-Identifier: Apache-2.0 */
/* Drives a state machine: hands it what the engine brings and what is due, and performs what it wants done,
 * in order. All that one step saves is durable before anything of that step is sent. */
#ifndef FLEET_AGENT_LOOP_H
#define FLEET_AGENT_LOOP_H

#include <sys/signalfd.h>

#include "fleet/agent/saved.h"
#include "fleet/bus/bus.h"
#include "fleet/core/actions.h"

struct loop;

/* A hub, a node or a submitter, as the loop sees it; CTX is the caller's own. A missing one is not called. */
struct loop_machine {
	void *ctx;
	void (*message)(void *ctx, struct fleet_now now, const struct fleet_message *m,
			struct fleet_actions *out);
	void (*answer)(void *ctx, struct fleet_now now, const struct fleet_answer *a,
		       struct fleet_actions *out);
	void (*lane)(void *ctx, struct fleet_now now, const char *class, const char *tenant,
		     struct fleet_actions *out);
	/* Plain messages, and that the connection is lost or back. */
	void (*event)(void *ctx, const struct bus_event *event);
	void (*tick)(void *ctx, struct fleet_now now, struct fleet_actions *out);
	uint64_t (*next)(void *ctx);
	/* What is sent or asked, before it is: to sign it. */
	void (*sign)(void *ctx, struct fleet_action *action);
	/* What is neither sent, asked nor saved. */
	void (*perform)(void *ctx, const struct fleet_action *action);
	void (*signal)(void *ctx, const struct signalfd_siginfo *info);
};

/* Both are borrowed; SAVED may be NULL for a machine that saves nothing. */
int loop_create(struct bus *bus, struct saved *saved, const struct loop_machine *machine, struct loop **ret,
		struct aisbx_error *e);
void loop_destroy(struct loop *loop); /* NULL is allowed */
/* Until loop_stop; a negative errno where saving failed or the engine is lost for good. */
int loop_run(struct loop *loop, struct aisbx_error *e);
void loop_stop(struct loop *loop);
/* Where a step outside of the calls above puts its actions: performed when control is back in the loop. */
struct fleet_actions *loop_actions(struct loop *loop);
/* Performs them now: before the loop runs. */
int loop_flush(struct loop *loop, struct aisbx_error *e);
/* Calls WHEN whenever FD is ready for one of EVENTS (poll); again with the same FD changes it. */
int loop_watch(struct loop *loop, int fd, short events, void (*when)(void *ctx, int fd, short revents),
	       void *ctx);
void loop_unwatch(struct loop *loop, int fd);
/* CTX of its machine. */
void *loop_context(const struct loop *loop);
struct fleet_now loop_now(void);
/* Signals that a loop gets; blocked in all threads, so to be called before any is made. */
void loop_block_signals(void);

#endif
