/* SPDX-License-Identifier: Apache-2.0 */
/* What a new box starts from: `create --from`. */
#ifndef BOX_FROM_H
#define BOX_FROM_H

#include "box/template.h"

enum box_from_kind { BOX_FROM_HOST, BOX_FROM_TEMPLATE, BOX_FROM_BOX, BOX_FROM_IMAGE };

struct box_from {
	enum box_from_kind kind;
	struct store_image image;     /* owned; of BOX_FROM_IMAGE */
	struct box_template template; /* owned; of BOX_FROM_TEMPLATE */
	const char *box;              /* borrowed from the text; of BOX_FROM_BOX: BOX[@SNAPSHOT] */
};

void box_from_finish(struct box_from *f);
/*
 * TEXT: "host" (or NULL), a template, a box (perhaps with "@SNAPSHOT") or an image, whichever exists;
 * "template:NAME", "box:NAME" and "image:NAME" say which. What two kinds match is refused, naming both.
 * Nothing is fetched.
 */
int box_from_resolve(struct box_state *s, const char *text, struct box_from *ret, struct aisbx_error *e);
/* Whether that is there, IMAGE_ONLY: among the images: 0; -ENOENT: it is not. */
int box_from_look(const char *text, bool image_only, struct aisbx_error *e);

#endif
