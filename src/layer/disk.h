/* SPDX-License-Identifier: Apache-2.0 */
/* What each of many layers takes on disk, and what of it is in others as well. */
#ifndef LAYER_DISK_H
#define LAYER_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

struct layer_disk {
	uint64_t own;    /* bytes of files that only this layer has */
	uint64_t shared; /* bytes of files that others of the layers have, too (layer/share.h) */
};

/* DIR: of the layers. RET has N. RET_ONCE: bytes of all shared files, each counted once. A layer that is not
 * there takes nothing. */
int layer_disk_measure(const char *dir, const char *const *ids, size_t n, struct layer_disk *ret,
		       uint64_t *ret_once, struct aisbx_error *e);

#endif
