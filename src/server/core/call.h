/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operation in progress. It runs in a child of the server, which is ready to run and supervises a run: it
 * can be cancelled like any command, it does not block others, and a crash affects only it. Its reports come
 * through the loop. A call whose caller has gone is cancelled.
 */
#ifndef SERVER_CORE_CALL_H
#define SERVER_CORE_CALL_H

#include <jansson.h>

#include "op/op.h"
#include "server/core/loop.h"

struct call;

/* All of them are called from the loop, `done` last and exactly once; then the call is freed. */
struct call_events {
	/* Of a run: raw bytes; WHICH: 0 stdout, 1 stderr. NULL: the output is only in the result. */
	void (*output)(void *ctx, int which, const char *data, size_t len);
	/*
	 * What the operation reports before its result, as `logs` and `stats` with "follow" do. NULL:
	 * dropped.
	 */
	void (*item)(void *ctx, const json_t *item);
	/* A run has started. NULL: dropped. */
	void (*begun)(void *ctx, const char *run, const char *trace_id);
	/* A run waits for its turn, and starts later. NULL: dropped. */
	void (*waits)(void *ctx, const char *run);
	/* The input that was queued has been written. NULL: nobody cares. */
	void (*drained)(void *ctx);
	/* RESULT, borrowed, or NULL with E. */
	void (*done)(void *ctx, const json_t *result, const struct aisbx_error *e);
};

struct call_how {
	const char *owner;                /* borrowed; as in struct op_context */
	bool person;                      /* as in struct op_context */
	const char *cwd;                  /* borrowed */
	const char *trace_id;             /* borrowed; NULL: each run has one of its own */
	const char *const *env;           /* borrowed */
	const struct given_secret *given; /* borrowed; as in struct caller */
	/* call_input will provide the command's standard input; otherwise it is empty */
	bool input;
	bool keep_output; /* as in struct op_context */
	/* borrowed; NULL, or a socket that is the standard input and output of the operation itself */
	const int *data_fd;
};

/* ARGS: borrowed. With an error nothing was started and nothing is called. */
int call_start(struct loop *l, const struct op *op, const json_t *args, const struct call_how *how,
	       const struct call_events *events, void *ctx, struct call **ret_call, struct aisbx_error *e);
/* What does not fit into the pipe is queued; -EPIPE: nobody reads any more, -ENOBUFS: too much is queued. */
int call_input(struct call *c, const char *data, size_t len, struct aisbx_error *e);
/* How much is queued. */
size_t call_waiting(const struct call *c);
/* The end of the input, after what was given has been written. */
void call_close_input(struct call *c);
/* Ends what it runs, with all processes; `done` still comes, and soon. May be called again. */
void call_cancel(struct call *c);
/* Stops reading its reports for now, so that it waits: for a caller that does not keep up. */
void call_hold(struct call *c, bool hold);

/* None is under way, and none comes any more: ends what was made for the next. Before the loop goes. */
void call_finish(void);

/* The error as every protocol reports it: {"kind", "area", "code", "errno", "text"}; a new reference. */
json_t *call_error_json(const struct aisbx_error *e);

#endif
