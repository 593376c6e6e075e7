/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on paths as text: nothing here accesses a file system. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Absolute, no empty, "." or ".." component, no trailing slash (except "/" itself), under PATH_MAX. */
bool path_is_clean(const char *path);

/* DIR itself or anything below it. Both clean. */
bool path_is_within(const char *path, const char *dir);

/* What follows DIR in PATH, without leading slash; "" for DIR itself; NULL when PATH is not within DIR. */
const char *path_below(const char *path, const char *dir);

/* Makes PATH absolute relative to CWD, resolves "//", "." and "..". Heap, or NULL if memory ran out. */
char *path_resolve(const char *cwd, const char *path);

/* DIR/NAME on the heap, or NULL. */
char *path_join(const char *dir, const char *name);
/* The same for a path below some top, which itself is "". */
char *path_child(const char *rel, const char *name);

/* Maximum bytes of a path in a longer message. */
#define PATH_TOLD 160u

/* The last MOST bytes of a path, for a short message: its end says more than its beginning. */
static inline const char *path_tail(const char *path, size_t most)
{
	size_t n = strlen(path);

	return n > most ? path + n - most : path;
}

#endif
