/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trees of a layer (layer/layer.h) as directories of one tree, as an archive has them, and back. Only for
 * a layer of one's own that nobody else knows yet.
 */
#ifndef LAYER_TREES_H
#define LAYER_TREES_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"

/*
 * DIR/ID/root/up gets a directory for each tree: "home", those below the home and, if there are any, those of
 * the system, which RET_SYSTEM tells. The layer is good for nothing else then.
 */
int layer_gather(const char *dir, const char *id, uint32_t id_shift, bool *ret_system, struct aisbx_error *e);
/*
 * The other way. What is in the tree is hostile: anything but directories with names of trees is refused, and
 * without SYSTEM also trees of the system.
 */
int layer_spread(const char *dir, const char *id, bool system, struct aisbx_error *e);

#endif
