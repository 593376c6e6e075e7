/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs that are stored as chunks (image/chunk_index.h), as STATE/images knows them. aisbx-image makes and
 * reads them. */
#ifndef BOX_IMAGE_CHUNKS_H
#define BOX_IMAGE_CHUNKS_H

#include "box/image_layers.h"
#include "box/images.h"

/* Stores blobs of these layers as chunks, where that helps. What fails stays a file: nobody is told. */
void image_chunks_make(struct images *i, const struct image_layers *l, images_progress_fn *progress,
		       void *ctx);
/* Whether the blob HEX is stored so. IMAGES: the directory, as in all of these. */
bool image_chunks_has(int images, const char *hex);
/* Forgets the blob HEX; its chunks go by image_chunks_sweep. */
void image_chunks_forget(int images, const char *hex);

/*
 * Removes the chunks that no index names. None if there is an index that cannot be read: UNREADABLE counts
 * these. The caller has the directory for itself.
 */
int image_chunks_sweep(int images, size_t *unreadable, struct aisbx_error *e);

struct image_chunks_sizes {
	uint64_t whole;    /* bytes of the blobs that are stored so */
	uint64_t disk;     /* bytes that their chunks take on disk */
	uint64_t unneeded; /* of it, those of blobs that KEEP does not accept, and of none */
};

int image_chunks_measure(int images, bool (*keep)(void *ctx, const char *hex), void *ctx,
			 struct image_chunks_sizes *ret, struct aisbx_error *e);

#endif
