/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the files of a box are complete, and written to disk before anybody relies on them. */
#ifndef BOX_INTEGRITY_H
#define BOX_INTEGRITY_H

#include <stdbool.h>

#include "box/box.h"

/*
 * The machine stopped, or the disk failed, before the changes since its last snapshot were written to disk.
 */
bool box_is_torn(const struct box_state *s, const struct store_box *b);

/*
 * Refuses an incomplete box, with its last snapshot and how to accept it: for callers that use its current
 * state.
 */
int box_check_integrity(const struct box_state *s, const struct store_box *b, struct aisbx_error *e);

/* The person accepts the current state. Only for the holder of its lock. */
int box_take_as_is(const struct box_state *s, const struct store_box *b, struct aisbx_error *e);

/* The changes of the box are on disk when this returns. Only for the holder of its lock. */
int box_sync_top(const struct box_state *s, const struct store_box *b, struct aisbx_error *e);

/* The same for a layer that aisbx itself has made, and that has no row yet. */
int box_sync_layer(const struct box_state *s, const char *id, struct aisbx_error *e);

/* Before aisbx itself writes to the top layer of a box; box_sync_top ends it. */
int box_fill_begin(const struct box_state *s, const struct store_box *b, struct aisbx_error *e);

/* Data that killed runs left unsynced. */
void box_sync_idle(struct box_state *s);

#endif
