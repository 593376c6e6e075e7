/* SPDX-License-Identifier: Apache-2.0 */
/* What changed in a real tree since a box was made from it. */
#ifndef LAYER_CHANGED_SINCE_H
#define LAYER_CHANGED_SINCE_H

#include <time.h>

#include "aisbx/error.h"
#include "base/str.h"

/*
 * Adds the paths below ROOT that changed after SINCE (a change within a clock tick, some milliseconds, may be
 * missed); a directory, if an entry was added or removed, or its own attributes changed. Reads the whole
 * tree.
 */
int changed_since_list(const char *root, struct timespec since, struct strlist *ret, struct aisbx_error *e);

#endif
