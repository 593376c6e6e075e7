/* SPDX-License-Identifier: Apache-2.0 */
/* A record of a base version as it is on disk. For base.c and base_write.c. */
#ifndef LAYER_BASE_DISK_H
#define LAYER_BASE_DISK_H

#include "layer/base.h"
#include "layer/blob.h"

struct base_disk {
	uint8_t state, whole, who, unused;
	uint32_t mode, uid, gid, mtime_ns, ctime_ns;
	uint64_t dev, ino, size, xattrs;
	int64_t mtime_s, ctime_s;
	char blob[BLOB_NAME_MAX]; /* with BASE_SUM first: no name, but a sum */
	char promotion[BASE_ID_MAX];
};

#define BASE_SUM '='

#endif
