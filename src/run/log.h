/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output of a detached run, in one file: records of a time, a stream and bytes, in the order in which they
 * were read. It only grows, so it can be read while it is written.
 */
#ifndef RUN_LOG_H
#define RUN_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

/*
 * As in the file, in the byte order of the machine; LEN bytes follow. It is written after them: while it is
 * empty (no time) its record does not exist yet, and may never.
 */
struct runlog_head {
	uint64_t time_us; /* since 1970 */
	uint32_t stream;  /* enum runlog_stream */
	uint32_t len;
};

enum runlog_stream {
	RUNLOG_END, /* nothing follows */
	RUNLOG_STDOUT,
	RUNLOG_STDERR,
};

struct runlog {
	int fd;        /* owned */
	uint64_t size; /* of whole records */
	int error;     /* errno of what could not be written; 0: all could */
};

/* A new one at NAME in DIR_FD, which must not be there. */
int runlog_create(int dir_fd, const char *name, struct runlog *ret, struct aisbx_error *e);
/* False if it was not written: then nothing of it is in the file. */
bool runlog_add(struct runlog *l, enum runlog_stream stream, const void *data, size_t len);
/*
 * The same with LEN bytes from the pipe FROM, without copying them. RET_MOVED: how many have left the pipe.
 * -EINVAL: not supported by this file system, and nothing has happened.
 */
int runlog_move(struct runlog *l, enum runlog_stream stream, int from, size_t len, size_t *ret_moved);
/* Nothing follows. */
void runlog_close(struct runlog *l);

/* Reading; stores one block, whatever the size of a record. */
struct runlog_reader {
	int fd;      /* owned */
	char *block; /* owned */
	int64_t at;  /* where to read on */
	struct runlog_head head;
	uint32_t left;     /* bytes of the record that are to come */
	bool ended;        /* the end record was read */
	bool no_splice[2]; /* what takes this stream is no pipe */
	bool widened[2];   /* the output of this stream is full */
};

/* Some bytes of one record. */
struct runlog_piece {
	uint64_t time_us;
	enum runlog_stream stream;
	const char *data; /* borrowed; until the next call */
	size_t len;
};

int runlog_open(int dir_fd, const char *name, struct runlog_reader *ret, struct aisbx_error *e);
/* The same with FD, which it takes, also on failure. */
int runlog_open_fd(int fd, struct runlog_reader *ret, struct aisbx_error *e);
void runlog_finish(struct runlog_reader *r);
/* 1: a piece; 0: nothing more yet, or at all if `ended`. -EBADMSG: not a log. */
int runlog_next(struct runlog_reader *r, struct runlog_piece *ret, struct aisbx_error *e);

/* Moves a new reader to the last BYTES bytes, or less, as far as they are in the last few records. */
int runlog_to_tail(struct runlog_reader *r, size_t bytes, struct aisbx_error *e);

/*
 * Writes everything available to the descriptors of the two streams, in large pieces if they are pipes. Not
 * to be mixed with runlog_next.
 */
int runlog_pass(struct runlog_reader *r, const int out_fds[2], struct aisbx_error *e);

#endif
