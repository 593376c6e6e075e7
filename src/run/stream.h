/* SPDX-License-Identifier: Apache-2.0 */
/* One direction of bytes between a box and the outside, without ever blocking the supervisor. */
#ifndef RUN_STREAM_H
#define RUN_STREAM_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct stream {
	int from;	  /* -1: ended */
	int to;		  /* -1: keep in `kept` */
	struct buf *kept; /* borrowed */
	uint64_t limit;	  /* bytes let through; UINT64_MAX: all */
	uint64_t passed;
	uint64_t dropped;
	bool to_file;  /* else: POLLOUT promises room for PIPE_BUF bytes, no more */
	bool close_to; /* `to` is ours: close it when `from` has ended and everything is written */
	char *data;    /* owned; STREAM_ROOM bytes, made at first use */
	size_t at, len;
};

#define STREAM_ROOM 65536

void stream_init(struct stream *s, int from, int to, struct buf *kept, uint64_t limit);
void stream_finish(struct stream *s);
/* Everything read and written. */
bool stream_done(const struct stream *s);
/* What to wait for: a read end when empty, a write end when not. events is 0 when there is nothing. */
struct pollfd stream_poll(const struct stream *s);
/* Moves what can be moved now. */
void stream_move(struct stream *s);

#endif
