/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images for the subordinate ids of an ordinary user. The files of a box with one id all belong to that user;
 * those of a box with subordinate ids belong to whom the image says. So its layers are others: the image is
 * unpacked for these ids when they are first asked for, and is a row of its own in the store, without a name.
 */
#ifndef BOX_IMAGE_IDS_H
#define BOX_IMAGE_IDS_H

#include "box/box.h"
#include "run/spec.h"

/* WORD is "one" (NULL as well) or "sub": *RET says which. */
int box_ids_read(const char *word, bool *ret_sub, struct aisbx_error *e);
/*
 * IMAGE becomes the same for our subordinate ids. Refused where there are none, and where the blobs of its
 * layers were not kept. Takes the time to unpack it, once.
 */
int box_image_for_subids(struct box_state *s, struct store_image *image, struct aisbx_error *e);
/* RET gets the ids that the files of IMAGE belong to; refused if they are not ours, or not any more. */
int box_image_ids(const struct store_image *image, struct run_image *ret, struct aisbx_error *e);

#endif
