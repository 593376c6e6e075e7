/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of overlay layers combined into one tree of what it changes. */
#ifndef LAYER_NODE_H
#define LAYER_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

enum node_kind {
	NODE_DIR,    /* a directory; the host shows through where it has no entry */
	NODE_OPAQUE, /* a directory that hides the host's */
	NODE_OTHER,  /* anything that is no directory */
	NODE_GONE,   /* deleted */
	NODE_PASS,   /* the host's own directory, with a layer at it or below it */
};

struct node {
	struct node **children; /* owned; sorted by name */
	uint32_t n;
	uint16_t layer; /* which of the layers shows it */
	uint8_t kind;   /* enum node_kind */
	char name[];
};

/* UPS: oldest first. PREFIXES: as in struct view. More names than there is memory for (base/memory.h) are
 * refused with -ENOBUFS. */
int node_fold(const char *const *ups, size_t n_ups, const char *const *prefixes, struct node **ret_root,
	      struct aisbx_error *e);
/*
 * The same, without what does not matter: the first N_MASKED layers are read only where MASK has an entry,
 * and below its entries of every kind but NODE_DIR. MASK NULL: everything matters.
 */
int node_fold_masked(const char *const *ups, size_t n_ups, const char *const *prefixes,
		     const struct node *mask, size_t n_masked, struct node **ret_root, struct aisbx_error *e);
void node_destroy(struct node *n);
static inline void drop_node(struct node **n)
{
	node_destroy(*n);
}

/* NULL when the directory has nothing of that name. DIR may be NULL. */
const struct node *node_find(const struct node *dir, const char *name);

#endif
