/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heads and bodies of HTTP/1.1. Strict where servers differ: whatever could be read in two ways is refused,
 * and what goes on is written anew. Pure.
 */
#ifndef NET_TLS_HEAD_H
#define NET_TLS_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/tls/message.h"

enum body_kind { BODY_NONE, BODY_LENGTH, BODY_CHUNKED, BODY_TO_END };

struct body {
	enum body_kind kind;
	uint64_t left; /* of the length, or of the chunk */
	enum { CHUNK_SIZE, CHUNK_DATA, CHUNK_END, CHUNK_TRAILERS } at;
	struct message *trailers; /* owned; NULL: there were none */
	size_t trailer_bytes;
};

struct head {
	unsigned int minor; /* HTTP/1.minor */
	bool close;         /* the connection ends behind it */
	bool upgrade;       /* a WebSocket is asked for, or granted */
	struct body body;
};

/*
 * Reads a head at DATA into M, without the fields that belong to the connection. Returns its length; 0: it is
 * not complete; a negative errno: -EBADMSG, and *RET_WHY says why, or -ENOMEM. More than MESSAGE_MAX_BYTES
 * are bad.
 */
int head_read_request(const char *data, size_t len, struct message *m, struct head *ret,
		      const char **ret_why);
/* NO_BODY: the answer to HEAD. */
int head_read_answer(const char *data, size_t len, bool no_body, struct message *m, struct head *ret,
		     const char **ret_why);
/* Writes all fields. */
void head_write_fields(struct buf *b, const struct message *m);

/*
 * Takes the next bytes of a body: those that count are appended to OUT, at most MOST of them. *RET_USED: how
 * many of DATA are done with. 1: that was all of it, 0: more follows, -EBADMSG.
 */
int body_read(struct body *b, const char *data, size_t len, size_t most, struct buf *out, size_t *ret_used);
/* Frees the trailers. */
void body_finish(struct body *b);

#endif
