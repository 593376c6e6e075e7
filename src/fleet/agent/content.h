/* SPDX-License-Identifier: Apache-2.0 */
/* Trees by content, for clients and nodes: calls of the program aisbx-content. Each waits for its end. */
#ifndef FLEET_AGENT_CONTENT_H
#define FLEET_AGENT_CONTENT_H

#include "aisbx/error.h"
#include "base/str.h"

/* The id of a tree as text, with its NUL. */
#define CONTENT_TREE 65

/* Where trees of a tenant are kept. All is borrowed. */
struct content_place {
	const char *store, *key, *tenant;
	const char *cache; /* NULL: the usual place */
};

struct content_sent {
	char tree[CONTENT_TREE];
	uint64_t entries; /* with the top itself */
	uint64_t bytes;
	uint64_t sent; /* over the network, or to the disk of the store */
};

/* Whether TEXT can be the id of a tree. */
bool content_is_tree(const char *text);
/* The directory DIR as the layers OVER (NULL: none; oldest first) show it, but for the paths WITHOUT (NULL:
 * all). */
int content_send(const struct content_place *place, const char *dir, const struct strlist *over,
		 const struct strlist *without, struct content_sent *ret, struct aisbx_error *e);
/*
 * To the new directory TO. LAYER: only what that layer of a box changes of it; NULL: everything. -ENODATA:
 * the store has no such tree; -EBADMSG: it cannot be one.
 */
int content_fetch(const struct content_place *place, const char *tree, const char *to, const char *layer,
		  struct aisbx_error *e);

#endif
