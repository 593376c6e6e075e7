/* SPDX-License-Identifier: Apache-2.0 */
/* A layer on its way into the directory of blobs: its tar archive is hashed, compressed, hashed and written.
 */
#ifndef HELPERS_IMAGE_LAYER_OUT_H
#define HELPERS_IMAGE_LAYER_OUT_H

#include "base/cut.h"
#include "helpers/image/blobs.h"
#include "image/digest.h"

enum layer_compression { LAYER_PLAIN, LAYER_GZIP, LAYER_ZSTD, LAYER_COMPRESSION_COUNT };

/* By its name: "none", "gzip" or "zstd"; LAYER_COMPRESSION_COUNT for any other. */
enum layer_compression layer_compression_by_name(const char *name);
/* OCI_LAYER... Constant. */
const char *layer_compression_media_type(enum layer_compression c);

struct layer_out {
	enum layer_compression how;
	struct blob_writer blob;
	void *hash;            /* owned: EVP_MD_CTX of the archive */
	void *stream;          /* owned: z_stream or ZSTD_CCtx */
	struct cut cut;        /* where the archive is cut */
	uint8_t *piece;        /* owned: what waits to be cut; room for CUT_MOST */
	size_t waiting;        /* bytes in it */
	uint8_t *packed;       /* owned: a piece, compressed */
	size_t room;           /* for it */
	uint64_t bytes;        /* of the archive so far */
	uint64_t most;         /* of the archive */
	struct aisbx_error *e; /* borrowed: where what failed is described */
};

#define LAYER_OUT_INIT                   \
	{                                \
		.blob = BLOB_WRITER_INIT \
	}

/* MOST: bytes of the archive; more are refused. */
int layer_out_begin(struct blobs *b, enum layer_compression how, uint64_t most, struct layer_out *ret,
		    struct aisbx_error *e);
/* A tar_sink_fn: CTX is the struct layer_out. The error is described in its E when this returns. */
int layer_out_write(void *ctx, const void *data, size_t len);
/* RET_SIZE: of the blob. */
int layer_out_end(struct layer_out *o, char ret_digest[DIGEST_CAP], char ret_diff_id[DIGEST_CAP],
		  uint64_t *ret_size);
/* Also of one that was ended, or never begun. */
void layer_out_finish(struct layer_out *o);

#endif
