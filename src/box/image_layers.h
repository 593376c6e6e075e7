/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of one image on their way into the store. */
#ifndef BOX_IMAGE_LAYERS_H
#define BOX_IMAGE_LAYERS_H

#include <signal.h>

#include "box/images.h"

/* What of a layer could not be kept. */
struct image_left_out {
	int64_t devices, xattrs, owners; /* owners: of links and pipes, where there is one id */
};

struct image_layer {
	char digest[STORE_DIGEST_MAX]; /* of its blob */
	char diff_id[STORE_DIGEST_MAX];
	char chain[STORE_DIGEST_MAX];
	char *media_type;        /* owned */
	int64_t size;            /* of its blob */
	char id[STORE_ID_MAX];   /* in the store; "": not there yet */
	char made[STORE_ID_MAX]; /* the layer it was unpacked into; "": it was there */
	int lock;                /* of that one; else -1 */
	int64_t files, bytes;
	struct image_left_out left_out; /* if it was unpacked now */
};

struct image_layers {
	struct image_layer *items; /* owned; oldest first */
	size_t n;
	char ids[STORE_IDS_MAX]; /* the subordinate ids that they are for; "": none */
	bool holds;              /* signals wait until what is unpacked has its rows, or is removed */
	sigset_t signals;        /* then: as they were */
};

/* As the texts of the manifest and the config of an image say, which must agree. */
int image_layers_read(const char *manifest, const char *config, struct image_layers *ret,
		      struct aisbx_error *e);
/* They are for subordinate ids, as struct store_image has them: others than those for one id. */
void image_layers_set_ids(struct image_layers *l, const char *ids);
/* Those that are here get their ids. */
int image_layers_find(struct box_state *s, struct image_layers *l, struct aisbx_error *e);
/* Unpacks those that are not, each into a layer of its own, on the disk when this returns. RET_N: how many.
 * From now on a signal that would end this process ends only the helper: image_layers_finish lets it through.
 */
int image_layers_unpack(struct images *i, struct image_layers *l, images_progress_fn *progress, void *ctx,
			size_t *ret_n, struct aisbx_error *e);
/*
 * In the open transaction: gives each its row. If somebody else brought the same layer meanwhile, theirs
 * counts. -EAGAIN: one that was here is gone.
 */
int image_layers_add(struct box_state *s, struct image_layers *l, struct aisbx_error *e);
/* Removes what was unpacked and got no row; the rest is no draft any more. */
void image_layers_finish(struct box_state *s, struct image_layers *l);
/* The directory with its files: heap, or NULL with E. */
char *image_layer_path(const struct box_state *s, const char *id, struct aisbx_error *e);

#endif
