/* SPDX-License-Identifier: Apache-2.0 */
/* What the target would refuse, found out before anything is changed. */
#ifndef LAYER_OBSTACLE_H
#define LAYER_OBSTACLE_H

#include "layer/merge.h"

/*
 * Why OP (enum merge_op) cannot be done to PATH in TARGET, as a sentence for a person; NULL if no reason is
 * known.
 */
const char *obstacle_at(struct tree_root *target, const char *path, enum merge_op op);

/* Steps that cannot be done become conflicts that cannot be resolved. Negative errno. */
int obstacle_find(struct merge_plan *plan, struct tree_root *target);

#endif
