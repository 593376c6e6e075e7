/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hard limit on a layer by the file system itself: a project quota, which only root has, on ext4 or xfs
 * mounted with prjquota. Each layer is a project of its own from its first run on; a limit it has only while
 * a run goes on, so that frozen layers, and what was made of them by linking, have none. Everybody else, and
 * every layer that was filled in another way, is watched instead.
 */
#ifndef LAYER_QUOTA_H
#define LAYER_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/usage.h"

/*
 * DIR, new and empty, of the layer whose directory is LAYER and whose id is ID: becomes part of the layer's
 * project. Where that cannot be nothing happens.
 */
void quota_claim(int layer, const char *id, int dir);

/* The project of the layer, now limited, or 0 when that cannot be. */
uint32_t quota_hold(int layer, const struct usage *most);
void quota_release(int layer, uint32_t project);
int quota_used(int layer, uint32_t project, struct usage *ret);

#endif
