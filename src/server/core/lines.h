/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection in lines, one JSON text each: over pipes, files, terminals or a socket, without ever blocking.
 * Input is limited to one line, output by the sender: `full` asks to stop, and meanwhile nothing is read.
 */
#ifndef SERVER_CORE_LINES_H
#define SERVER_CORE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "server/core/loop.h"

/* The longest line that is accepted. */
#define LINES_LONGEST (12u << 20)
/* From this many unsent bytes on it is full; until half of it is left. */
#define LINES_FULL (1u << 20)

/* Splits input into lines; knows no descriptor. All zeros is a valid start. */
struct cutter {
	struct buf part; /* owned; of an incomplete line */
};

typedef void (*line_fn)(void *ctx, const char *text, size_t len);

/*
 * Calls FN for each line that DATA ends, without its LF or CR LF; empty ones are skipped. -E2BIG: one is too
 * long, -ENOMEM.
 */
int cutter_feed(struct cutter *c, const char *data, size_t len, line_fn fn, void *ctx);
/* What follows the last newline is a line, too. */
void cutter_end(struct cutter *c, line_fn fn, void *ctx);
void cutter_finish(struct cutter *c);

struct lines;

/* Called from the loop. After `gone`, and after a call of lines_close(), none is. */
struct lines_events {
	line_fn line;
	void (*full)(void *ctx, bool full); /* NULL: nobody cares */
	/* No more input: it has ended (0), a line was too long (-E2BIG), or reading failed. */
	void (*end)(void *ctx, int why);
	/* The reader has gone. */
	void (*gone)(void *ctx);
	/* Everything that was sent before lines_end() is written. */
	void (*flushed)(void *ctx);
};

/* IN and OUT, which may be the same, become its own, also with an error. */
int lines_open(struct loop *l, int in, int out, const struct lines_events *events, void *ctx,
	       struct lines **ret_lines, struct aisbx_error *e);
/* One line; TEXT has no newline. */
void lines_send(struct lines *c, const char *text, size_t len);
bool lines_is_full(const struct lines *c);
/* After `gone`, before lines_close(): why it could not be sent; 0 if the reader has gone. */
int lines_lost(const struct lines *c);
/* Nothing more will be sent: `flushed`, not before this returns, reports that all is written; or `gone`. */
void lines_end(struct lines *c);
/* At once. */
void lines_close(struct lines *c);

/* Standard input and output for a connection; accidental output goes to standard error instead. */
int lines_take_stdio(int *ret_in, int *ret_out, struct aisbx_error *e);

#endif
