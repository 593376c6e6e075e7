/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records in a file that only grows: a fixed part and a text each, with a checksum, so that an incomplete end
 * is noticed.
 */
#ifndef LAYER_RECORD_H
#define LAYER_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

void record_add(struct buf *b, const void *fixed, size_t size, const char *text);

/*
 * The record at *AT, which is advanced: its fixed part into FIXED, its text as the return value; NULL at the
 * end or at an incomplete record.
 */
const char *record_next(const struct buf *b, size_t *at, void *fixed, size_t size);

/* Where the last complete record ends: what is appended there can be read. */
size_t record_end(const struct buf *b);

/* All of AT/NAME; -ENOENT as any other errno. */
int record_read(int at, const char *name, struct buf *ret);

/* The same in pieces: for any number of records. */
struct record_reader {
	int fd; /* owned */
	struct buf piece;
	size_t at;
	int failed; /* negative errno: then the end is none */
};

#define RECORD_READER_INIT \
	{                  \
		.fd = -1   \
	}

/* Negative errno. */
int record_open(int at, const char *name, struct record_reader *ret);
void record_close(struct record_reader *r);
/* As record_next; the text is valid until the next one. */
const char *record_step(struct record_reader *r, void *fixed, size_t size);
/* After the last: everything was read, and nothing is incomplete. */
bool record_is_whole(const struct record_reader *r);
/* Appends all whole records of NAME in FROM to NAME in TO. Negative errno; -ENOENT when there are none. */
int record_take(int from, int to, const char *name);
/* Appends to AT/NAME, which is made if needed. SYNC: on disk before it returns. */
int record_write(int at, const char *name, const struct buf *b, bool sync);

#endif
