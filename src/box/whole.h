/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what a box has is whole, and on the disk before anybody relies on it. */
#ifndef BOX_WHOLE_H
#define BOX_WHOLE_H

#include <stdbool.h>

#include "box/box.h"

/* The machine stopped, or the disk failed, before what it wrote since its last snapshot was on the disk. */
bool box_is_torn(const struct box_shelf *s, const struct store_box *b);

/* Refuses a torn box, with its last snapshot and how to take it as it is: for who builds on
 * what it has now. */
int box_check_whole(const struct box_shelf *s, const struct store_box *b, struct aisbx_error *e);

/* The person takes what there is. Only for who has its lock. */
int box_take_as_is(const struct box_shelf *s, const struct store_box *b, struct aisbx_error *e);

/* What the box wrote is on the disk when this returns. Only for who has its lock. */
int box_sync_top(const struct box_shelf *s, const struct store_box *b, struct aisbx_error *e);

/* The same for a layer that aisbx itself has made, and no row speaks of yet. */
int box_sync_layer(const struct box_shelf *s, const char *id, struct aisbx_error *e);

/* Before aisbx itself writes to the top of a box; box_sync_top ends it. */
int box_fill_begin(const struct box_shelf *s, const struct store_box *b, struct aisbx_error *e);

/* What runs that were killed left unsynced. */
void box_sync_idle(struct box_shelf *s);

#endif
