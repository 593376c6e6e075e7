/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks of blobs as files, each once (image/chunk_index.h), compressed by zstd where that makes them
 * smaller. New ones are collected below "tmp" and get their names together, when all are on the disk.
 */
#ifndef HELPERS_IMAGE_CHUNKS_H
#define HELPERS_IMAGE_CHUNKS_H

#include <stdbool.h>

#include "helpers/image/blobs.h"
#include "image/chunk_index.h"

void chunk_id(const void *data, size_t len, uint8_t ret[CHUNK_ID_BYTES]);
/* Reads a chunk below the directory CHUNKS; RET has room for REF->len bytes. What is not what its name says
 * is -EBADMSG. */
int chunk_read(int chunks, const struct chunk_ref *ref, uint8_t *ret);

/* All bytes of a blob that is stored as chunks, in order. TAKE returns 0, or a negative errno with E. */
int chunks_stream(const struct blobs *b, const char *digest, const struct chunk_index *i,
		  int (*take)(void *ctx, const void *data, size_t len, struct aisbx_error *e), void *ctx,
		  struct aisbx_error *e);
/* Such a blob as a file without a name. -ENOENT without E: it is not stored so. */
int chunks_assemble(const struct blobs *b, const char *digest, int *ret_fd, struct aisbx_error *e);
/* The bytes of a blob that is stored as chunks; false: it is not. */
bool chunks_has(const struct blobs *b, const char *digest, uint64_t *ret_size);

#define CHUNK_TMP_NAME (32u + CHUNK_NAME)

/* Chunks that are being added. */
struct chunk_adder {
	const struct blobs *blobs; /* borrowed */
	char prefix[32];           /* of names below tmp */
	struct chunk_index fresh;  /* those that were not there */
	size_t named;              /* of them have got their names */
	uint8_t *old;              /* owned; room for a chunk */
	uint8_t *packed;           /* likewise, compressed */
	uint64_t stored;           /* bytes of new files */
};

int chunk_adder_begin(const struct blobs *b, struct chunk_adder *ret, struct aisbx_error *e);
/* A chunk that is there already, and whole, is left alone. RET gets what it is called. */
int chunk_add(struct chunk_adder *a, const uint8_t *data, size_t len, struct chunk_ref *ret,
	      struct aisbx_error *e);
/* On the disk, under their names, when this returns. */
int chunk_adder_end(struct chunk_adder *a, struct aisbx_error *e);
/* What did not get its name goes. */
void chunk_adder_finish(struct chunk_adder *a);

#endif
