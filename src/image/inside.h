/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a box has at a path, found from outside in the layers of its image and its own, as overlayfs merges
 * them. Everything there is hostile: no link is followed unless that is said.
 */
#ifndef IMAGE_INSIDE_H
#define IMAGE_INSIDE_H

#include <limits.h>
#include <stddef.h>
#include <sys/stat.h>

struct image_found {
	int dir;          /* owned; the directory of a layer that it is in */
	int fd;           /* owned; of O_PATH */
	const char *name; /* borrowed from the path; its name in dir */
	struct stat st;
};
#define IMAGE_FOUND_INIT            \
	{                           \
		.dir = -1, .fd = -1 \
	}

void image_found_finish(struct image_found *f);
/*
 * UPS: the directories of changes of the layers, newest first. REL: a relative path, clean. -ENOENT: there is
 * nothing, or a link or a file is on the way.
 */
int image_find(const char *const *ups, size_t n_ups, const char *rel, struct image_found *ret);

/*
 * Where NAME ("run", "tmp"), a directory that every box mounts something on, is if the image has a link
 * there: RET is a path below /var that is a directory without links on the way, as "/var/run". "": there is
 * no link, or one that leads elsewhere, which nobody follows.
 */
void image_place(const char *const *ups, size_t n_ups, const char *name, char ret[PATH_MAX]);

#endif
