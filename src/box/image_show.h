/* SPDX-License-Identifier: Apache-2.0 */
/* Images that are here: what each is, whether it is whole, removing it. */
#ifndef BOX_IMAGE_SHOW_H
#define BOX_IMAGE_SHOW_H

#include "box/image_layers.h"
#include "box/image_told.h"
#include "box/images.h"

struct image_details {
	struct store_image image;
	json_t *config; /* owned */
	struct image_layers layers;
	struct strlist users; /* owned; for the person: what stands on it, some of it */
	size_t n_users;       /* all of it */
	struct image_told policy;
	size_t no_blob;        /* layers whose blob was not kept */
	struct images *images; /* borrowed */
};

void image_details_finish(struct image_details *d);
/* I stays open as long as RET is used. */
int image_details_read(struct images *i, const char *key, struct image_details *ret, struct aisbx_error *e);

/* All, by name. RET_N of them; the caller's: free with store_image_list_finish. With their configs. */
int image_list(struct box_state *s, struct store_image **ret, size_t *ret_n, struct aisbx_error *e);

struct image_removed {
	char id[STORE_ID_MAX];
	bool stays; /* only the name was removed: the image has others */
	size_t layers, blobs;
};

/* As box_image_remove, and with it the blobs that no other image needs. */
/* A name of several: only the name. The last one, or an id or digest: the image, unless something stands on
 * it. */
int image_remove(const char *key, struct image_removed *ret, struct aisbx_error *e);

struct image_verified {
	size_t blobs, no_blob, layers;
	int64_t bytes; /* of blobs that were read */
	int64_t files; /* that are as in their layers' blobs */
};

/* Every blob that was kept is what its name says, every layer is there, on the one that it belongs on, and
 * its files are as in its blob. */
int image_verify(const char *key, images_progress_fn *progress, void *ctx, struct image_verified *ret,
		 struct aisbx_error *e);

#endif
