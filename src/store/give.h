/* SPDX-License-Identifier: Apache-2.0 */
/* A box gets another owner. */
#ifndef STORE_GIVE_H
#define STORE_GIVE_H

#include "store/store.h"

/* It is OWNER's from now on ("": the person's), as NAME. -EEXIST: OWNER has a box of that name. */
int store_box_give(struct store *s, const char *id, const char *owner, const char *name,
		   struct aisbx_error *e);

#endif
