/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blobs that are stored as chunks: STATE/images/indexes/HEX, named like the blob, lists the chunks that it
 * consists of, and each chunk is a file in STATE/images/chunks, named by its BLAKE3, whatever number of blobs
 * has it.
 */
/*
 * An index is: CHUNK_INDEX_MAGIC, the size of the blob (8 bytes), the number of chunks (8 bytes), for each
 * its BLAKE3 and its length (4 bytes), and the SHA-256 of all that. Numbers begin with their lowest byte.
 */
#ifndef IMAGE_CHUNK_INDEX_H
#define IMAGE_CHUNK_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define CHUNK_INDEX_MAGIC "aisbx chunks 1\n" /* with its NUL: 16 bytes */
#define CHUNK_ID_BYTES    32u
#define CHUNK_NAME        (2u * CHUNK_ID_BYTES + 2u) /* "ab/cdef...", and a NUL */
#define CHUNK_MOST        (1u << 20)                 /* bytes of a chunk */
#define CHUNK_INDEX_MOST  (4u << 20)                 /* chunks of a blob */

struct chunk_ref {
	uint8_t id[CHUNK_ID_BYTES];
	uint32_t len;
};

struct chunk_index {
	struct chunk_ref *refs; /* owned */
	size_t n, room;
	uint64_t size; /* of the blob: the sum of all lengths */
};

void chunk_index_finish(struct chunk_index *i);
/* -ENOMEM or -EFBIG. */
int chunk_index_add(struct chunk_index *i, const struct chunk_ref *ref);
int chunk_index_write(const struct chunk_index *i, struct buf *ret);
/* -EBADMSG: it is none, or damaged. */
int chunk_index_read(const void *data, size_t len, struct chunk_index *ret);
/* From the file NAME in the directory DIR, which may be -1 if there is none: -ENOENT. */
int chunk_index_load(int dir, const char *name, struct chunk_index *ret);

/* The path of a chunk below the directory of chunks. */
void chunk_name(const uint8_t id[CHUNK_ID_BYTES], char ret[CHUNK_NAME]);

#endif
