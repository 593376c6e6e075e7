/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of images, STATE/images: blobs, each a file named by its SHA-256, and what is being made of
 * them. */
#ifndef BOX_IMAGES_H
#define BOX_IMAGES_H

#include <jansson.h>

#include "base/buf.h"
#include "box/box.h"
#include "box/caller.h"

/* As image_progress_fn in image/helper.h, for callers who do not know that. */
typedef int images_progress_fn(void *ctx, const json_t *progress);

/* Open: as long as it is, no blob in it is removed by others. */
struct images {
	struct box_state state;
	char *blobs; /* owned; STATE/images/blobs */
	int lock;
};
#define IMAGES_INIT        \
	{                  \
		.lock = -1 \
	}

/* Makes the directories where they are missing. Waits for somebody who removes blobs. */
int images_open(struct images *ret, struct aisbx_error *e);
void images_close(struct images *i);

/* The path of a blob: heap, or NULL with E. */
char *images_blob_path(const struct images *i, const char *digest, struct aisbx_error *e);
/* Whether the blob is there, as a file or as chunks; its content is not looked at. */
bool images_has_blob(const struct images *i, const char *digest);
/* The whole of a small blob, which must be what its digest says; -EBADMSG: it is not. */
int images_read_blob(const struct images *i, const char *digest, struct buf *ret, struct aisbx_error *e);
/* Adds a small blob, on the disk when this returns. */
int images_write_blob(const struct images *i, const void *data, size_t len, char ret_digest[STORE_DIGEST_MAX],
		      struct aisbx_error *e);

struct images_swept {
	size_t blobs;      /* that were removed, and what was left of downloads */
	size_t unreadable; /* manifests and indexes of which nobody knows what they need: blobs or chunks
			      stay */
};

/*
 * Removes blobs that no image needs, chunks that no blob needs, and what was being made by somebody who is
 * gone; not while somebody has the directory open.
 */
int images_sweep(struct box_state *s, struct images_swept *ret, struct aisbx_error *e);
/* KEY as a full reference, "docker.io/library/debian:latest" for "debian". Heap; NULL: it is none, or no
 * memory. */
char *images_full_name(const char *key);
struct images_sizes {
	uint64_t blobs;    /* bytes on disk: blobs, chunks and indexes */
	uint64_t unneeded; /* of it, what no image needs */
	uint64_t chunked;  /* bytes of blobs that are stored as chunks */
	uint64_t chunks;   /* bytes of their chunks on disk */
};

int images_measure(struct box_state *s, struct images_sizes *ret, struct aisbx_error *e);
/* Whether whom we act for may change images: the person may. */
int images_may_change(const char *what, struct aisbx_error *e);

/* Adds digests of what the manifest of I names to RET: its config, then its layers. */
int images_blobs_of(const struct store_image *i, struct strlist *ret, struct aisbx_error *e);

#endif
