/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the Connect protocol and HTTP put around texts: envelopes of a stream (a byte of flags, four of
 * length, a text), and the parts of a multipart body. Pure.
 */
#ifndef SERVER_E2B_FRAME_H
#define SERVER_E2B_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { FRAME_HEAD = 5, FRAME_COMPRESSED = 1, FRAME_LAST = 2 };

/* Appends an envelope. */
void frame_add(struct buf *b, unsigned int flags, const char *text, size_t len);
/*
 * The next envelope of DATA from *AT on: its text and flags, both in DATA; *AT moves behind it. 1: there is
 * one, 0: it ends here, -1: it ends within an envelope, or one is compressed.
 */
int frame_next(const char *data, size_t len, size_t *at, unsigned int *ret_flags, const char **ret_text,
	       size_t *ret_len);

#define PART_NAME_MAX 4096

struct part {
	char name[PART_NAME_MAX];     /* of the field; "": none */
	char filename[PART_NAME_MAX]; /* "": none */
	const char *data;             /* borrowed of the body */
	size_t len;
};

/* The boundary of "multipart/form-data; boundary=..."; false: it is no such type. */
bool part_boundary(const char *type, char ret[72]);
/* The next part from *AT on, as frame_next. */
int part_next(const char *body, size_t len, const char *boundary, size_t *at, struct part *ret);

#endif
