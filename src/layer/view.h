/* SPDX-License-Identifier: Apache-2.0 */
/* A tree as a box sees it: the host, or the host under a chain of layers. Read by descriptors; see
 * layer/place.h. */
#ifndef LAYER_VIEW_H
#define LAYER_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/str.h"
#include "layer/change.h"
#include "layer/node.h"
#include "layer/place.h"

/* An open view. */
struct eye {
	const struct view *view; /* borrowed */
	struct node *root;       /* owned; its layers folded */
	struct place host;
	struct place *ups; /* owned; opened when first needed */
};

#define EYE_INIT                   \
	{                          \
		.host = PLACE_INIT \
	}

int eye_open(const struct view *v, struct eye *ret, struct aisbx_error *e);
void eye_close(struct eye *eye);

/* A directory of a view: its entries in the layers, and whether the host shows through. */
struct ref {
	const struct node *node;
	bool host;
	bool seen; /* it is the host's own, and was looked at: what is in it can be looked at as well */
};

/* What a view has at a path. */
struct sight {
	struct thing thing; /* `name` points into the path asked for; `at` is good until the next look */
	struct ref ref;     /* to look below, if it is a directory */
	bool from_host;
	size_t layer; /* else: which */
};

struct ref eye_top(const struct eye *eye);
/* Of REL, whose directory is PARENT. Negative errno. */
int eye_look(struct eye *eye, struct ref parent, const char *rel, struct sight *ret);
/* From the top. */
int eye_find(struct eye *eye, const char *rel, struct sight *ret);
/* Whether its layers mention REL: that it exists, or not, or is hidden by something above it. */
bool eye_knows(const struct eye *eye, const char *rel);
/* Adds the names that its layers have in DIR, and with HOST, if it shows through, the host's. */
int eye_names(struct eye *eye, struct ref dir, const char *rel, bool host, struct strlist *ret);
/* The path on disk of what was seen at REL; heap or NULL. */
char *eye_file(const struct eye *eye, const struct sight *s, const char *rel);

/* Sorts, and removes doubles. */
void names_sort(struct strlist *names);

#endif
