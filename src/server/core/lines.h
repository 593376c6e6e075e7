/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A conversation in lines, one JSON text each: over pipes, files, terminals or a socket, without ever
 * waiting. What comes in is bounded by one line, what goes out by who sends: `full` asks to stop, and
 * meanwhile nothing is read.
 */
#ifndef SERVER_CORE_LINES_H
#define SERVER_CORE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "server/core/loop.h"

/* The longest line that is taken. */
#define LINES_LONGEST (12u << 20)
/* From so much on that the other side has not taken, it is full; until half of it is left. */
#define LINES_FULL (1u << 20)

/* Cuts what comes into lines; knows no descriptor. Zero is a good beginning. */
struct cutter {
	struct buf part; /* owned; of a line whose end has not come */
};

typedef void (*line_fn)(void *ctx, const char *text, size_t len);

/* Calls FN for each line that DATA ends, without its LF or CR LF; empty ones are left out. -E2BIG: one is too
 * long, -ENOMEM. */
int cutter_feed(struct cutter *c, const char *data, size_t len, line_fn fn, void *ctx);
/* What came behind the last newline is a line, too. */
void cutter_end(struct cutter *c, line_fn fn, void *ctx);
void cutter_finish(struct cutter *c);

struct lines;

/* Called from the loop. After `gone`, and after a call of lines_close(), none is. */
struct lines_events {
	line_fn line;
	void (*full)(void *ctx, bool full); /* NULL: nobody cares */
	/* Nothing comes any more: the input has ended (0), a line was too long (-E2BIG), or
	 * reading failed. */
	void (*end)(void *ctx, int why);
	/* Nobody reads any more what is sent. */
	void (*gone)(void *ctx);
	/* All that was sent before lines_end() is out. */
	void (*flushed)(void *ctx);
};

/* IN and OUT, which may be the same, become its own, also with an error. */
int lines_open(struct loop *l, int in, int out, const struct lines_events *events, void *ctx,
	       struct lines **ret_lines, struct aisbx_error *e);
/* One line; TEXT has no newline. */
void lines_send(struct lines *c, const char *text, size_t len);
bool lines_is_full(const struct lines *c);
/* After `gone`, before lines_close(): why it could not be sent; 0 when who reads has left. */
int lines_lost(const struct lines *c);
/* Nothing will be sent any more: `flushed` tells, not before this returns, when it is out; or `gone`. */
void lines_end(struct lines *c);
/* At once. */
void lines_close(struct lines *c);

/* Standard input and output for a conversation; what is printed by mistake goes to standard error instead. */
int lines_take_stdio(int *ret_in, int *ret_out, struct aisbx_error *e);

#endif
