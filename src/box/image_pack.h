/* SPDX-License-Identifier: Apache-2.0 */
/* Images made of layers of the store: blobs of their files, and the documents that name them. Inside box/. */
#ifndef BOX_IMAGE_PACK_H
#define BOX_IMAGE_PACK_H

#include "box/image_import.h"
#include "box/image_show.h"

/* How files become a blob. */
struct image_packing {
	const char *compression; /* as in image/wire.h */
	const char *sub_ids;     /* whose files they are; "": none */
	images_progress_fn *progress;
	void *progress_ctx; /* borrowed */
};

/*
 * The directories LAYERS, oldest first, become one blob: RET says of it what the helper does. BELOW: those of
 * the layers that it is for; NULL: all that they delete is kept. Both are taken.
 */
int image_pack_dirs(struct images *i, json_t *layers, json_t *below, const struct image_packing *how,
		    json_t **ret, struct aisbx_error *e);
/*
 * What the layers down from TOP have that image ON has not. RET_ALONE: ON's layers were merged into them, so
 * the blob has everything.
 */
int image_pack_changes(struct images *i, const char *top, const struct store_image *on,
		       const struct image_packing *how, bool *ret_alone, json_t **ret, struct aisbx_error *e);

/* The documents of a new image. */
struct image_draft {
	const json_t *config;             /* borrowed; of the image it comes from */
	const struct image_layers *below; /* layers that come first; NULL: none */
	const json_t *packed[2];          /* borrowed; blobs on top of them, oldest first; NULL: none */
	const char *template_label;       /* NULL: it is no template */
	const char *by;                   /* what made it, for its history */
};

/* The same bytes for the same draft. RET_DIGEST: of the manifest. */
int image_pack_documents(struct images *i, const struct image_draft *d, char ret_digest[STORE_DIGEST_MAX],
			 struct aisbx_error *e);

/* All blobs of its layers are there. */
int image_pack_check(const struct image_details *d, struct aisbx_error *e);

#endif
