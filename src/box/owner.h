/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose boxes there are. A process acts for the person, who has all of them, or for one owner, such as a
 * session of an agent: then those of others, unless they are shared, are not there. What keeps the store in
 * order asks the store itself.
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

/* Whether what OWNER made is there for who we act for: the person has everything. NULL and "": a person made
 * it. */
bool box_owns(const char *owner);

/* What who we act for calls the box: its name, or OWNER/NAME of another's. */
void box_told_as(const struct store_box *b, char ret[BOX_KEY_MAX + 1]);

/* As store_box_find and store_box_list, of those there are. */
int box_find(struct box_shelf *s, const char *key, struct store_box *ret_box, struct aisbx_error *e);
int box_list(struct box_shelf *s, struct store_box **ret_boxes, size_t *ret_n, struct aisbx_error *e);
/* Whether the box with this id is one of them; also false when it is gone. The person has every one. */
bool box_is_mine(struct box_shelf *s, const char *id);

#endif
