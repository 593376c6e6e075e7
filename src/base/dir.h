/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a directory so that an error is not taken for its end: what is not listed would look deleted. */
#ifndef BASE_DIR_H
#define BASE_DIR_H

#include <dirent.h>
#include <errno.h>
#include <string.h>

/* The next entry but "." and ".."; NULL at the end, and with *RET_R negative after an error. */
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
