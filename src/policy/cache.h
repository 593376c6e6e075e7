/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which directories of a home hold what package managers and compilers have fetched or built before, and can
 * have again: a box sees them, with its own changes on top. What is not listed is not shown. Only directories
 * without credentials are listed, so nothing in them has to be hidden one by one.
 */
#ifndef POLICY_CACHE_H
#define POLICY_CACHE_H

#include <stdbool.h>
#include <stddef.h>

struct cache_dir {
	const char *path;     /* below the place; "": the place itself */
	const char *variable; /* names another directory instead; NULL: none does */
};

/* Directories with something in common: if the place is not there, none of them is. */
struct cache_place {
	const char *path;             /* below the home directory */
	const char *variable;         /* names another place; NULL: none does */
	const struct cache_dir *dirs; /* ends with path NULL */
};

extern const struct cache_place cache_places[]; /* ends with path NULL */

/* PATH, relative to the home directory, is one of those directories, or in one. */
bool cache_has(const char *path_below_home);

#endif
