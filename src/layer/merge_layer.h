/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the result of a merge into a layer instead of a real tree: as overlayfs would have written it. */
#ifndef LAYER_MERGE_LAYER_H
#define LAYER_MERGE_LAYER_H

#include "layer/merge.h"

/*
 * Fills UP, the empty directory of changes of a new layer on top of the target's. STAGE is a directory for
 * staging on the same file system, and empty. ID_SHIFT is added to owners of the host.
 */
int merge_layer_write(struct merge_plan *plan, const struct merge_sides *sides, const char *stage,
		      const char *up, uint32_t id_shift, struct aisbx_error *e);

#endif
