/* SPDX-License-Identifier: Apache-2.0 */
/* Images on their way out: made of a box, sent to a registry, written to a file. */
#ifndef BOX_IMAGE_OUT_H
#define BOX_IMAGE_OUT_H

#include "box/image_import.h"

/* Makes the image NAME of BOX[@SNAPSHOT], a box that stands on an image: its layers, and one with the
 * changes. */
int image_pack(const char *box, const char *name, const char *compression, const struct image_import *how,
	       struct image_imported *ret, struct aisbx_error *e);

struct image_pushed {
	char digest[STORE_DIGEST_MAX];
	char *to;           /* owned */
	size_t sent, there; /* blobs that were sent, and that were there already */
};

/* TO NULL: to where its name says. */
int image_push(const char *key, const char *to, const struct image_import *how, struct image_pushed *ret,
	       struct aisbx_error *e);
/* The same for an image whose blobs are all in I; DIGEST of its manifest. */
int image_push_manifest(struct images *i, const char *digest, const char *to, const struct image_import *how,
			struct image_pushed *ret, struct aisbx_error *e);
/* FORMAT as "to" of "write" in image/wire.h; PATH is clean, and there is nothing yet. */
int image_save(const char *key, const char *format, const char *path, const struct image_import *how,
	       char ret_digest[STORE_DIGEST_MAX], struct aisbx_error *e);

#endif
