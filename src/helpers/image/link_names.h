/* SPDX-License-Identifier: Apache-2.0 */
/* The first name of each file that has several, in the order of an archive. */
#ifndef HELPERS_IMAGE_LINK_NAMES_H
#define HELPERS_IMAGE_LINK_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct link_name;

struct link_names {
	struct link_name *places; /* owned */
	size_t n, cap;
};

/*
 * PATH is a name of the file ST in LAYER. RET_FIRST: the one that was given first, borrowed; NULL: this is
 * the first. Files of different layers are never the same, although they may share their content on disk.
 * Negative errno.
 */
int link_names_take(struct link_names *l, size_t layer, const struct stat *st, const char *path,
		    const char **ret_first);
void link_names_finish(struct link_names *l);

#endif
