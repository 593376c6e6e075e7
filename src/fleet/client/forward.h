/* SPDX-License-Identifier: Apache-2.0 */
/* A protocol of the server, whose calls are jobs: what `aisbx fleet rpc` and `aisbx fleet mcp` are both made
 * of, and what its files know of each other. */
#ifndef FLEET_CLIENT_FORWARD_H
#define FLEET_CLIENT_FORWARD_H

#include <limits.h>

#include "fleet/agent/homes.h"
#include "fleet/agent/loop.h"
#include "fleet/agent/options.h"
#include "fleet/client/kept.h"
#include "fleet/client/live.h"
#include "fleet/client/verify.h"
#include "fleet/core/submitter.h"
#include "server/core/call.h"

struct finished;
struct forwarder;
struct stdio;

/* What speaks with the client. */
struct face {
	const char *command; /* of aisbx: the same, on this machine */
	bool keeps;          /* the ends of runs, for run.wait */
	int (*open)(struct forwarder *f, struct aisbx_error *e);
	void (*line)(struct forwarder *f, const char *text, size_t len);
	void (*full)(struct forwarder *f, bool full); /* what was sent waits */
	void (*too_long)(struct forwarder *f);        /* a line; nothing more is read */
	/* The client wants nothing more: calls are cancelled, and forward_idle() is called when all have
	 * ended. May come again. */
	void (*end)(struct forwarder *f);
	void (*close)(struct forwarder *f);
};

struct forwarder {
	const struct face *face;       /* borrowed */
	void *own;                     /* of the face; owned */
	const struct fleet_options *o; /* borrowed */
	char name[FLEET_NAME];         /* of the submitter */
	char class[FLEET_NAME];        /* that the labels mean */
	char dir[PATH_MAX];            /* of its table */
	struct bus *bus;               /* owned, as all below */
	struct saved *saved;
	struct homes *homes;
	struct loop *loop;
	struct fleet_submitter *submitter;
	struct stdio *stdio;
	struct call *calls;
	struct timer *timers; /* of the face; borrowed */
	struct finished *finished;
	char inbox[128]; /* where the hub's list of nodes comes */
	uint64_t look_ms, look_after_ms;
	char (*ended)[FLEET_NAME]; /* jobs to take out of the table */
	size_t n_ended, room_ended;
	int status;
	bool idle; /* nothing is under way for the client, and nothing will be */
};

/* A call: a job; or several, of PARENT; or one that is answered here. */
struct call {
	struct forwarder *f; /* borrowed */
	struct call *next;
	const struct op *op;
	struct call_events events;
	void *ctx;
	json_t *arguments; /* owned, as all below */
	struct fleet_job job;
	struct live *live;     /* NULL: no job */
	struct verify *verify; /* what comes back of it is checked; NULL: no job */
	struct fleet_record record;
	struct kept kept[2];
	int lock;
	char run[80], trace[40]; /* of a run that has begun; "" */
	unsigned attempt;
	uint64_t since_ms, begun_wall_ms, deadline_ms;
	uint64_t cancel_ms, hub_ms, give_up_ms; /* when to ask again; to ask the hub; and to wait no longer */
	unsigned missing;                       /* looks in a row that did not find its node */
	bool streams, keeps, waits, told, paused, cancelled, answered;
	bool over; /* RESULT or WHY can be answered */
	json_t *result;
	struct aisbx_error why;
	struct call *parent; /* borrowed */
	size_t parts;
};

/* Serves one client with FACE, until it ends: an exit status, or a negative errno. */
int forward(const struct face *face, const struct fleet_options *o, struct aisbx_error *e);
/* Nothing is under way for the client any more, and nothing will be. */
void forward_idle(struct forwarder *f);
void forward_send(struct forwarder *f, const char *text, size_t len);

/* A new one, in the list. ARGUMENTS: borrowed. */
struct call *forward_call_new(struct forwarder *f, const struct op *op, const json_t *arguments,
			      const struct call_events *events, void *ctx);
/* Sends its job, to a node of CLASS. */
int forward_call_send(struct call *c, const char *class, const struct call_how *how, struct aisbx_error *e);
/* It is answered with WHY; a job is cancelled. */
void forward_call_fail(struct call *c, const struct aisbx_error *why);
/* Who waits is told, if it was not yet. */
void forward_call_answer(struct call *c);
void forward_call_free(struct call *c);
void forward_calls_tick(struct forwarder *f, uint64_t now_ms);
uint64_t forward_calls_next(const struct forwarder *f);
/* The job of that id, or NULL. */
struct call *forward_call_of(const struct forwarder *f, const char *job);

/* Sets RESULT or WHY by the record. */
void forward_end_take(struct call *c);

/* Operations that are answered here: -EOPNOTSUPP: this is none. */
int forward_here_start(struct call *c, struct aisbx_error *e);
/* The node that has the runs which the arguments name; "": not known. */
const char *forward_here_node(const struct forwarder *f, const json_t *arguments);

/* The call whose run that is, while it goes on; or NULL. */
struct call *forward_here_run(const struct forwarder *f, const char *run);
/* CALL has paused runs, or resumed them. */
void forward_here_paused(struct call *c);

/* run.wait: C has begun to wait, or has its answer. */
int forward_wait_start(struct call *c, struct aisbx_error *e);
/* C has ended: its end is kept, if it has a run, and who waits for it has the answer. */
void forward_wait_take(struct call *c);
void forward_wait_tick(struct call *c, uint64_t now_ms);
void forward_wait_cancel(struct call *c);
void forward_wait_finish(struct forwarder *f);

/* Timers of server/core/loop.h. */
void forward_timers_tick(struct forwarder *f, uint64_t now_ms);
uint64_t forward_timers_next(const struct forwarder *f);

/* What the hub says of nodes. */
int forward_nodes_open(struct forwarder *f, struct aisbx_error *e);
void forward_nodes_tick(struct forwarder *f, uint64_t now_ms);
uint64_t forward_nodes_next(const struct forwarder *f);
void forward_nodes_take(struct forwarder *f, const char *data, size_t len);

/* Lines. */
struct stdio_events {
	void (*line)(void *ctx, const char *text, size_t len);
	void (*full)(void *ctx, bool full); /* what was sent waits */
	void (*end)(void *ctx, int why);    /* nothing comes any more; -E2BIG: a line was too long */
	void (*gone)(void *ctx);            /* nobody reads any more */
};
struct stdio *stdio_open(struct loop *loop, const struct stdio_events *events, void *ctx);
void stdio_close(struct stdio *s); /* NULL is allowed */
void stdio_send(struct stdio *s, const char *text, size_t len);
bool stdio_is_flushed(const struct stdio *s);

#endif
