/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory of blobs: DIR/sha256/HEX, each whole and what its name says, or stored as chunks (chunks.h).
 * What is being written lives in "tmp" beside DIR, with a lock (flock) on it as long as somebody writes;
 * whatever there has no lock may be removed.
 */
#ifndef HELPERS_IMAGE_BLOBS_H
#define HELPERS_IMAGE_BLOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "image/digest.h"

struct blobs {
	int dir; /* DIR/sha256 */
	int tmp;
	int chunks, indexes; /* beside DIR: blobs that are stored as chunks (image/chunk_index.h); -1: none */
	uint64_t
		max_bytes; /* of one blob and of all that are written by this request together; 0: no limit */
	uint64_t written;
	bool may_lack; /* layers of an image need not be there */
};

#define BLOBS_INIT                                                \
	{                                                         \
		.dir = -1, .tmp = -1, .chunks = -1, .indexes = -1 \
	}

/* Makes both directories where they are missing. */
int blobs_open(const char *dir, uint64_t max_bytes, struct blobs *ret, struct aisbx_error *e);
void blobs_close(struct blobs *b);
/* Makes the directories for chunks as well, which are opened only if they are there otherwise. DIR: as given
 * to blobs_open. */
int blobs_make_chunks(const char *dir, struct blobs *b, struct aisbx_error *e);
/* The path of "tmp" beside DIR, where a blob is put together that is stored as chunks. Heap, or NULL with E.
 */
char *blobs_tmp_path(const char *dir, struct aisbx_error *e);
/* From now on this process writes only there, starts nothing and connects to nothing (sys/confine.h).
 * DIR: as given to blobs_open. */
int blobs_confine(const char *dir, struct aisbx_error *e);

/* A blob that is there; its content is not looked at. */
bool blobs_has(const struct blobs *b, const char *digest, uint64_t *ret_size);
/* Opens a blob for reading, put together if it is stored as chunks; with CHECK its content is hashed first.
 * SIZE: what it must have; UINT64_MAX: any. RET_SIZE may be NULL. */
int blobs_open_blob(const struct blobs *b, const char *digest, uint64_t size, bool check, int *ret_fd,
		    uint64_t *ret_size, struct aisbx_error *e);
/* A document: at most IMAGE_MAX_JSON bytes, always checked. */
int blobs_read(const struct blobs *b, const char *digest, struct buf *ret, struct aisbx_error *e);

/* A blob that is being written. */
struct blob_writer {
	struct blobs *blobs; /* borrowed */
	int fd;
	void *hash;    /* owned: EVP_MD_CTX */
	char name[96]; /* in tmp; "" if there is none */
	uint64_t size;
	uint64_t most;             /* bytes that are taken; UINT64_MAX: no limit but that of the directory */
	char expected[DIGEST_CAP]; /* "" if it is not known before the end */
};

#define BLOB_WRITER_INIT \
	{                \
		.fd = -1 \
	}

/* DIGEST: what it must become, or NULL: any. SIZE: what it must have, or UINT64_MAX.
 * RESUME (DIGEST is known): what an earlier attempt left is kept and hashed; RET->size says how much it is.
 * Somebody else who writes the same blob at this moment is not disturbed: both write, the last one's stays.
 */
int blob_begin(struct blobs *b, const char *digest, uint64_t size, bool resume, struct blob_writer *ret,
	       struct aisbx_error *e);
int blob_write(struct blob_writer *w, const void *data, size_t len, struct aisbx_error *e);
/* Forgets what was written so far: a server that sends from the start again. */
int blob_restart(struct blob_writer *w, struct aisbx_error *e);
/* Verifies digest and size, brings it to the disk, gives it its name. RET_DIGEST may be NULL. Whatever
 * happens, the writer is finished. */
int blob_end(struct blob_writer *w, char ret_digest[DIGEST_CAP], struct aisbx_error *e);
/* Gives up: the temporary file goes, unless KEEP (to resume later). Of a finished writer: nothing. */
void blob_abort(struct blob_writer *w, bool keep);
static inline void blob_drop(struct blob_writer *w)
{
	blob_abort(w, false);
}

/* There with that size, and its content is what its name says. Reads all of it. */
bool blobs_is_good(const struct blobs *b, const char *digest, uint64_t size);
/* A whole blob from memory; one that is there already is left alone. */
int blobs_add(struct blobs *b, const void *data, size_t len, char ret_digest[DIGEST_CAP],
	      struct aisbx_error *e);

#endif
