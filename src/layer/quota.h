/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hard limit on a layer enforced by the file system: a project quota, which needs root and ext4 or xfs
 * mounted with prjquota. Each layer has a project id from its first run on; it has a limit only during a run,
 * so that frozen layers, and layers made of them by hard links, have none. In all other cases the layer is
 * watched instead.
 */
#ifndef LAYER_QUOTA_H
#define LAYER_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/usage.h"

/*
 * DIR, new and empty, of the layer whose directory is LAYER and whose id is ID, gets the layer's project id.
 * Does nothing if that is not possible.
 */
void quota_claim(int layer, const char *id, int dir);

/* The project id of the layer, now limited, or 0 if that is not possible. */
uint32_t quota_hold(int layer, const struct usage *most);
void quota_release(int layer, uint32_t project);
int quota_used(int layer, uint32_t project, struct usage *ret);

#endif
