/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree accessed by descriptors: paths are relative to its root, through directories only, never over a
 * symbolic link or onto another mount. A replacement meanwhile is an error, not a way out.
 */
#ifndef LAYER_TREE_ROOT_H
#define LAYER_TREE_ROOT_H

#include <sys/stat.h>

#include "aisbx/error.h"

struct tree_root {
	int root;     /* owned */
	int fd;       /* owned; the directory used last */
	char *parent; /* owned; its path */
};

#define TREE_ROOT_INIT               \
	{                            \
		.root = -1, .fd = -1 \
	}

int tree_root_open(const char *path, struct tree_root *ret, struct aisbx_error *e);
void tree_root_close(struct tree_root *p);

/*
 * The directory of REL, borrowed until the next call, and REL's name there ("." for "" and "."). Negative
 * errno.
 */
int tree_root_parent(struct tree_root *p, const char *rel, const char **ret_name);
/* Forget the directory used last: it may have been replaced since. */
void tree_root_forget(struct tree_root *p);

/* 1 and its attributes, 0 when there is nothing, negative errno. */
int tree_root_stat(struct tree_root *p, const char *rel, struct stat *ret);

#endif
