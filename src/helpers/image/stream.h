/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that come one after the other, from wherever: a file, a member of an archive, a decompressor. */
#ifndef HELPERS_IMAGE_STREAM_H
#define HELPERS_IMAGE_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "aisbx/error.h"

struct stream {
	/* Up to CAP bytes; 0 at the end; negative: an error, and E says which. */
	ssize_t (*read)(struct stream *s, void *data, size_t cap, struct aisbx_error *e);
};

#define STREAM_CHUNK (128u << 10)

/* Of a file; the descriptor stays the caller's. */
struct stream_file {
	struct stream stream;
	int fd;
};

void stream_of_file(struct stream_file *s, int fd);
/* Fills DATA as far as there is something: less than CAP only at the end. */
ssize_t stream_fill(struct stream *s, void *data, size_t cap, struct aisbx_error *e);

/* A stream whose first bytes have been looked at already. */
struct stream_peeked {
	struct stream stream;
	struct stream *rest; /* borrowed */
	char head[512];
	size_t len, at;
};

int stream_peek(struct stream_peeked *s, struct stream *from, struct aisbx_error *e);

enum packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD, PACKING_XZ, PACKING_BZIP2 };

/* What the first bytes look like. */
enum packing packing_of(const char *head, size_t len);
/* The first block of a tar archive: a header with its checksum, or zeros. */
bool tar_begins(const char *head, size_t len);

/* The unpacked content of another stream, at most MOST bytes of it. */
struct stream_unpacked {
	struct stream stream;
	struct stream *from; /* borrowed */
	void *archive;       /* owned */
	char *chunk;         /* owned */
	uint64_t size, most;
	struct aisbx_error *error; /* borrowed, during a call: for the reader of FROM */
	bool empty;
};

int stream_unpack(struct stream_unpacked *s, struct stream *from, uint64_t most, struct aisbx_error *e);
void stream_unpacked_finish(struct stream_unpacked *s);

#endif
