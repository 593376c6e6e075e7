/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a directory so that an error is not mistaken for its end: entries that are not listed would look
 * deleted.
 */
#ifndef BASE_DIR_H
#define BASE_DIR_H

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The directory that FD is, which belongs to it from then on. NULL, with *RET_R negative, when it cannot be
 * read or FD is a negative errno; FD is closed then. */
static inline DIR *dir_take(int fd, int *ret_r)
{
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d) {
		*ret_r = fd < 0 ? fd : -errno;
		if (fd >= 0)
			close(fd);
	}
	return d;
}

/* The next entry except "." and ".."; NULL at the end, and with *RET_R negative after an error. */
static inline struct dirent *dir_next(DIR *d, int *ret_r)
{
	struct dirent *entry;

	do {
		errno = 0;
		entry = readdir(d);
	} while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")));
	if (!entry && errno)
		*ret_r = -errno;
	return entry;
}

#endif
