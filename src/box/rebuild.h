/* SPDX-License-Identifier: Apache-2.0 */
/* Rebuilds the store from the files beside it. */
#ifndef BOX_REBUILD_H
#define BOX_REBUILD_H

#include "box/box.h"

/* From manifests, journals of promotions, and what can be read of the old store. B is filled;
 * store_rebuild_finish ends it. */
int box_rebuild(struct store_rebuild *b, struct aisbx_error *e);

#endif
