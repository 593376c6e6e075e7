/* SPDX-License-Identifier: Apache-2.0 */
/* What the target would not let happen, known before anything does. */
#ifndef LAYER_OBSTACLE_H
#define LAYER_OBSTACLE_H

#include "layer/merge.h"

/* Why OP (enum merge_op) cannot be done to PATH in TARGET, as a sentence for a person; NULL when nothing is
 * known against it. */
const char *obstacle_at(struct place *target, const char *path, enum merge_op op);

/* Steps that cannot be done become conflicts that no resolution helps. Negative errno. */
int obstacle_find(struct merge_plan *plan, struct place *target);

#endif
