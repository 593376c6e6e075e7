/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One stream of the engine, as a log: appended to by one writer per subject who knows what is last there, and
 * read by consumers that acknowledge. For programs that do nothing else: every call waits for its answer.
 */
#ifndef FLEET_BUS_STREAM_H
#define FLEET_BUS_STREAM_H

#include "fleet/bus/bus.h"

struct bus_stream;

/* Does not ask whether there is a stream of this name: it may come later. */
int bus_stream_open(const struct bus_options *options, const char *name, struct bus_stream **ret,
		    struct aisbx_error *e);
void bus_stream_close(struct bus_stream *s);
static inline void drop_bus_stream(struct bus_stream **s)
{
	bus_stream_close(*s);
}

struct bus_stream_state {
	int64_t created_ns; /* tells a stream from a later one of the same name */
	uint64_t first, last;
};
/* -ENOENT: there is none. */
int bus_stream_look(struct bus_stream *s, struct bus_stream_state *ret, struct aisbx_error *e);

/* The newest message of SUBJECT, as one of the stream's servers has it: bus_stream_append refuses what is
 * built on an older one. -ENOENT: there is none; E is unchanged then. RET_DATA is owned by the caller. */
int bus_stream_last(struct bus_stream *s, const char *subject, char **ret_data, size_t *ret_len,
		    uint64_t *ret_sequence, struct aisbx_error *e);
/* Stored, if AFTER is the sequence of the newest message of SUBJECT; 0: if there is none. -ESTALE: another
 * is, or ID was stored before; ask again what is last. After any error it may have been stored, or may be
 * later. */
int bus_stream_append(struct bus_stream *s, const char *subject, const char *id, const void *data, size_t len,
		      uint64_t after, uint64_t *ret_sequence, struct aisbx_error *e);

struct bus_fetched {
	const char *subject, *data; /* borrowed: of the message */
	size_t len;
	uint64_t sequence;
	void *message; /* owned */
};

/* What is fetched from now on is of this durable consumer; made if it is missing, and never removed. */
int bus_stream_consume(struct bus_stream *s, const char *durable, struct aisbx_error *e);
/* Up to MOST messages, waiting for the first of them; *RET_N 0: none came. What is not acknowledged within
 * BUS_ACK_WAIT_S seconds is delivered again. */
#define BUS_ACK_WAIT_S 30
int bus_stream_fetch(struct bus_stream *s, struct bus_fetched *ret, size_t most, uint64_t wait_ms,
		     size_t *ret_n, struct aisbx_error *e);
/* Waits until all of it is acknowledged. What fails is delivered again. Finishes them, as the next ones do.
 */
int bus_fetched_acknowledge(struct bus_stream *s, struct bus_fetched *list, size_t n, struct aisbx_error *e);
/* They are delivered again at once, not only after BUS_ACK_WAIT_S; for who cannot take them now. */
void bus_fetched_return(struct bus_fetched *list, size_t n);
void bus_fetched_finish(struct bus_fetched *list, size_t n);

#endif
