/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ownership of boxes. A process acts for the person, who has access to all of them, or for one owner, such as
 * a session of an agent: then boxes of others are not visible unless they are shared. Maintenance of the
 * store uses the store directly.
 */
#ifndef BOX_OWNER_H
#define BOX_OWNER_H

#include "box/box.h"

/* NULL: for the person. OWNER must stay. */
void box_act_for(const char *owner);
/* NULL: for the person. */
const char *box_acting_for(void);
/* Letters, digits and ._:- of the length of a name at most. */
bool box_is_owner(const char *text);

/*
 * Whether what OWNER made is visible to whom we act for: the person sees everything. NULL and "": a person
 * made it.
 */
bool box_owns(const char *owner);

/* The name of the box for whom we act for: its name, or OWNER/NAME if it belongs to another. */
void box_told_as(const struct store_box *b, char ret[BOX_KEY_MAX + 1]);

/* As store_box_find and store_box_list, limited to visible ones. */
int box_find(struct box_state *s, const char *key, struct store_box *ret_box, struct aisbx_error *e);
int box_list(struct box_state *s, struct store_box **ret_boxes, size_t *ret_n, struct aisbx_error *e);
/* Whether the box with this id is visible; also false if it was removed. The person sees every box. */
bool box_is_mine(struct box_state *s, const char *id);

#endif
