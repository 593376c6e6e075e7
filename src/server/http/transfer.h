/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole file of a box as the body of an answer or of a request, in pieces: nothing waits for more than a
 * part of it, and who is slow makes only its own call wait. For everybody who serves files over HTTP.
 */
#ifndef SERVER_HTTP_TRANSFER_H
#define SERVER_HTTP_TRANSFER_H

#include <jansson.h>

#include "server/http/http.h"

/* The most that a body may have. */
#define TRANSFER_MOST (1ull << 30)

struct transfers;

struct transfer_where {
	const char *owner; /* borrowed; NULL: the person */
	const char *box, *path;
};

/* CWD is borrowed. */
int transfers_open(struct loop *l, const char *cwd, struct transfers **ret, struct aisbx_error *e);
/* Ends all; STOPPED is called when the last has ended, perhaps from here. */
void transfers_stop(struct transfers *t, void (*stopped)(void *ctx), void *ctx);
void transfers_close(struct transfers *t);

/* Answers X with the file, or with why not. */
void transfer_read(struct transfers *t, struct exchange *x, const struct transfer_where *from);
/*
 * X is of a place that streams, and was handed over before its body: that becomes the file. What it was that
 * was written is the answer, as of `file write`.
 */
void transfer_write(struct transfers *t, struct exchange *x, const struct transfer_where *to);

#endif
