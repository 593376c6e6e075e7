/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a tree: what a layer of a box changes of it, which is what a merge of that layer asks for. */
#ifndef FLEET_CONTENT_SELECT_H
#define FLEET_CONTENT_SELECT_H

#include "fleet/content/tree.h"

/*
 * Of T stay the entries whose names LAYER, the upper directory of an overlay, has as well; and whatever lies
 * below a name that is deleted or replaced there.
 */
int content_tree_select(struct content_tree *t, const char *layer, struct aisbx_error *e);

#endif
