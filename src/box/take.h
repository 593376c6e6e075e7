/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes of sessions that have ended, for the next session of the same token: it lists them, and takes over
 * those it wants. Boxes of live sessions and of other tokens are not there.
 */
#ifndef BOX_TAKE_H
#define BOX_TAKE_H

#include "box/box.h"

/* Those that whoever we act for may take over; the person may take over all. Freed as those of
 * store_box_list. */
int box_left_list(struct box_state *s, struct store_box **ret_boxes, size_t *ret_n, struct aisbx_error *e);
/* The same from a state of its own; empty for whom there can be none. */
int box_left(struct store_box **ret_boxes, size_t *ret_n, struct aisbx_error *e);
void box_left_finish(struct store_box *boxes, size_t n);

struct box_take_request {
	const char *box;  /* borrowed, as is NAME: id, OWNER/NAME, or a name that only one of them has */
	const char *name; /* NULL: the one that it has */
};

/* RET is finished by the caller, also after an error. */
int box_take(const struct box_take_request *req, struct store_box *ret, struct aisbx_error *e);

#endif
