/* SPDX-License-Identifier: Apache-2.0 */
/* A tar archive, packed or not, as a layer among the blobs. */
#ifndef HELPERS_IMAGE_TAKE_LAYER_H
#define HELPERS_IMAGE_TAKE_LAYER_H

#include <stdbool.h>

#include "helpers/image/blobs.h"
#include "helpers/image/stream.h"

struct taken_layer {
	char digest[DIGEST_CAP];
	char diff_id[DIGEST_CAP]; /* "" if it was not asked for and not known by itself */
	const char *media_type;   /* constant */
	uint64_t size;
};

/* Bytes that are plain tar, gzip or zstd are kept as they are; xz and bzip2 become zstd. WANT_DIFF_ID:
 * of packed ones, too, which takes a second reading. NAME: for the message. */
int take_layer(struct blobs *b, struct stream *from, const char *name, bool want_diff_id,
	       struct taken_layer *ret, struct aisbx_error *e);
/* The bytes of FROM as the blob DIGEST of SIZE bytes. */
int take_blob(struct blobs *b, struct stream *from, const char *digest, uint64_t size, struct aisbx_error *e);

#endif
