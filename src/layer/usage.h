/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disk usage of a layer: blocks, not lengths, of each file once; and its names, of which a file may have
 * many.
 */
#ifndef LAYER_USAGE_H
#define LAYER_USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct usage {
	uint64_t bytes;
	uint64_t inodes; /* names: each is an entry of a directory that somebody has to read, also of one file
			    with others */
};

struct usage_how {
	uint64_t until_us; /* by base/time.h; 0: no limit */
	/* may call sys_own_files() for files that a box made inaccessible to its owner */
	bool own;
	struct usage most; /* stop when this is exceeded */
	/* NULL, or called for each file and directory, once. Negative: an error to return */
	int (*each)(void *ctx, const struct stat *st);
	void *ctx;
};

#define USAGE_ALL ((struct usage){ UINT64_MAX, UINT64_MAX })

/*
 * Counts the changes of every tree of the layer whose directory is DIR, but not overlayfs' scratch directory,
 * which is empty or has no names. A box may be running in it. Negative errno: -ETIME, or -ELOOP for
 * directories nested too deep, in too many places, to be counted.
 */
int usage_count(int dir, const struct usage_how *how, struct usage *ret);

#endif
