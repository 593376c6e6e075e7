/* SPDX-License-Identifier: Apache-2.0 */
/* A tree as a box sees it: the host, or the host under a chain of layers. Read by descriptors; see
 * layer/tree_root.h. */
#ifndef LAYER_VIEW_H
#define LAYER_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/str.h"
#include "layer/change.h"
#include "layer/node.h"
#include "layer/tree_root.h"

/* An open view. */
struct open_view {
	const struct view *view; /* borrowed */
	struct node *root;       /* owned; its layers folded */
	struct tree_root host;
	struct tree_root *ups; /* owned; opened when first needed */
};

#define OPEN_VIEW_INIT                 \
	{                              \
		.host = TREE_ROOT_INIT \
	}

int view_open(const struct view *v, struct open_view *ret, struct aisbx_error *e);
/* As node_fold_masked says. MASK is not needed afterwards. */
int view_open_masked(const struct view *v, const struct node *mask, size_t n_masked, struct open_view *ret,
		     struct aisbx_error *e);
void view_close(struct open_view *open_view);

/* A directory of a view: its entries in the layers, and whether the host shows through. */
struct ref {
	const struct node *node;
	bool host;
	bool seen; /* it is the host's own, and was looked at: what is in it can be looked at as well */
};

/* What a view has at a path. */
struct view_entry {
	struct thing thing; /* `name` points into the path asked for; `at` is good until the next look */
	struct ref ref;     /* to look below, if it is a directory */
	bool from_host;
	size_t layer; /* else: which */
};

struct ref view_top(const struct open_view *open_view);
/* Of REL, whose directory is PARENT. Negative errno. */
int view_look(struct open_view *open_view, struct ref parent, const char *rel, struct view_entry *ret);
/* From the top. */
int view_find(struct open_view *open_view, const char *rel, struct view_entry *ret);
/* Whether its layers mention REL: that it exists, or not, or is hidden by something above it. */
bool view_knows(const struct open_view *open_view, const char *rel);
/* Adds the names that its layers have in DIR, and with HOST, if it shows through, the host's. */
int view_names(struct open_view *open_view, struct ref dir, const char *rel, bool host, struct strlist *ret);
/* The path on disk of what was seen at REL; heap or NULL. */
char *view_file(const struct open_view *open_view, const struct view_entry *s, const char *rel);

/* Sorts, and removes doubles. */
void names_sort(struct strlist *names);

#endif
