/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of an image as it is shown: what its boxes have at most. */
#ifndef BOX_IMAGE_TOLD_H
#define BOX_IMAGE_TOLD_H

#include "box/box.h"

struct image_told {
	bool any;            /* otherwise the image has no policy */
	bool has_caps;       /* otherwise it says nothing about them */
	struct strlist caps; /* owned */
	char *seccomp, *net; /* owned; NULL: it says nothing */
};

void image_told_finish(struct image_told *t);
/* Of CONFIG of an image. */
int image_told_read(const char *config, struct image_told *ret, struct aisbx_error *e);
/* Of image ID; of none ("") and one that is gone there is nothing to tell. */
int image_told_of(struct box_state *s, const char *id, struct image_told *ret, struct aisbx_error *e);

#endif
