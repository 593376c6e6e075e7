/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One direction of bytes between a box and the outside, without ever blocking the supervisor. Beyond the
 * limit the end is kept, because a program reports its outcome there; the part between is cut out and
 * counted.
 */
#ifndef RUN_STREAM_H
#define RUN_STREAM_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "run/last_words.h"
#include "run/log.h"
#include "run/listener.h"
#include "secret/known_secrets.h"

struct stream {
	int from; /* -1: ended */
	int to;   /* -1: keep in `log` or `kept`; else it goes there, and also into `log` if there is one */
	struct buf *kept;                 /* borrowed */
	struct runlog *log;               /* borrowed */
	enum runlog_stream which;         /* for the log */
	stream_listener *output_listener; /* NULL, or who listens */
	void *output_listener_ctx;        /* borrowed */
	bool keeps_last;                  /* its last bytes are wanted */
	struct last_words *last;          /* owned; made when there are some */
	bool no_splice;                   /* bytes cannot be moved there without being read */
	bool widened;                     /* its pipe is larger than the default */
	uint64_t limit;                   /* bytes that are passed on; UINT64_MAX: all */
	uint64_t passed;                  /* of the head, and at the end of the tail */
	uint64_t dropped;
	int unread;    /* errno of a failed read: for the other end it ended there */
	int unwritten; /* errno of a failed write: the rest is lost. A reader that closed is no failure */
	bool to_file;  /* otherwise: POLLOUT promises space for PIPE_BUF bytes, no more */
	bool close_to; /* `to` is ours: close it when `from` has ended and everything is written */
	char *data;    /* owned; STREAM_ROOM bytes, made at first use */
	size_t at, len;
	struct known_secrets *known_secrets; /* borrowed; NULL, or secrets to remove */
	struct redact redact;                /* what is under way of them */
	bool at_terminal;                    /* a person waits for the echo of a key */
	uint64_t idle_ms;                    /* when to release it; 0: nothing is held back */
	char *tail;                          /* owned; a ring of the last bytes, made when the head is full */
	size_t tail_at, tail_len;
};

#define STREAM_ROOM 65536
/* At most half of a limit is for the end, and at most this. */
#define STREAM_TAIL 65536
/* A key's echo that could be the beginning of a secret is held back this long. */
#define STREAM_IDLE_MS 30
/* Written where bytes are missing; not counted as output of the command. */
#define STREAM_CUT "\n[aisbx: %llu bytes cut here]\n"

void stream_init(struct stream *s, int from, int to, struct buf *kept, uint64_t limit);
void stream_finish(struct stream *s);
/* Everything read and written. */
bool stream_done(const struct stream *s);
/* What to wait for: a read end when empty, a write end when not. events is 0 when there is nothing. */
struct pollfd stream_poll(const struct stream *s);
/* Moves what can be moved now. */
void stream_move(struct stream *s);
/* Releases what a person at a terminal waits for. */
void stream_idle(struct stream *s, uint64_t now_ms);
/* Nothing more is read: the kept end is to be written now. Only if nothing waits to be written. */
void stream_end(struct stream *s);

#endif
