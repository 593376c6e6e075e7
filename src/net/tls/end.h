/* SPDX-License-Identifier: Apache-2.0 */
/* One end of a connection: a socket, TLS over it, and what was read and is to be written, both bounded. */
#ifndef NET_TLS_END_H
#define NET_TLS_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/ssl.h>

#include "base/buf.h"

#define END_IN_MAX  (160u << 10) /* more than a whole head */
#define END_OUT_MAX (256u << 10)

struct end {
	int fd;   /* owned */
	SSL *ssl; /* owned; NULL: bytes as they are (tests) */
	struct buf in, out;
	size_t in_at, out_at; /* what is done with */
	bool eof;             /* nothing more comes */
	bool cut;             /* and that was not said in the way of TLS */
	bool broken;          /* nothing works any more */
	bool ending;          /* nothing is added to out any more */
	bool ended;           /* and that was said */
	bool rude;            /* without the words of TLS for it: so did the other end */
	bool wants_write;     /* reading waits until the socket can be written */
	uint32_t armed;       /* of epoll */
	uint64_t bytes_in, bytes_out;
};

void end_finish(struct end *e);
/* Reads what is there and has room. True: there was something new. */
bool end_fill(struct end *e);
/* Writes what can be written. True: something was. */
bool end_flush(struct end *e);
static inline const char *end_data(const struct end *e)
{
	return e->in.data ? e->in.data + e->in_at : "";
}
static inline size_t end_len(const struct end *e)
{
	return e->in.len - e->in_at;
}
/* N bytes of end_data() are done with. */
void end_take(struct end *e, size_t n);
/* How much may be written to out now. */
size_t end_room(const struct end *e);
static inline size_t end_unsent(const struct end *e)
{
	return e->out.len - e->out_at;
}
void end_put(struct end *e, const void *data, size_t len);
/* What epoll is to wait for. */
uint32_t end_events(const struct end *e);

#endif
