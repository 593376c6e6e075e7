/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree accessed by descriptors: paths are relative to its root, through directories only, never over a
 * symbolic link or onto another mount. A replacement meanwhile is an error, not a way out.
 */
#ifndef LAYER_PLACE_H
#define LAYER_PLACE_H

#include <sys/stat.h>

#include "aisbx/error.h"

struct place {
	int root;     /* owned */
	int fd;       /* owned; the directory used last */
	char *parent; /* owned; its path */
};

#define PLACE_INIT                   \
	{                            \
		.root = -1, .fd = -1 \
	}

int place_open(const char *path, struct place *ret, struct aisbx_error *e);
void place_close(struct place *p);

/*
 * The directory of REL, borrowed until the next call, and REL's name there ("." for "" and "."). Negative
 * errno.
 */
int place_parent(struct place *p, const char *rel, const char **ret_name);
/* Forget the directory used last: it may have been replaced since. */
void place_forget(struct place *p);

/* 1 and its attributes, 0 when there is nothing, negative errno. */
int place_stat(struct place *p, const char *rel, struct stat *ret);

#endif
