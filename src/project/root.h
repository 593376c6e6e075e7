/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the project of somebody who stands somewhere in it: the nearest directory above with an aisbx.yaml or
 * a repository. Pure; the caller looks at the files. Everything above may have been made by somebody else:
 * what others own or can write never becomes the project.
 */
#ifndef PROJECT_ROOT_H
#define PROJECT_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct project_root_view {
	const char *home; /* the person's, without links; NULL: not known, and nothing above is searched */
	uid_t uid;        /* the person */
	gid_t gid;
	/* 0 or a negative errno. FOLLOW: what a link leads to. */
	int (*look)(void *ctx, const char *path, bool follow, struct stat *ret);
	void *ctx;
};

/*
 * How much of CWD, an absolute path without links, is the project's directory: all of it if none above
 * counts. The project is the person's own directory. The search ends at "/", at the home directory and what
 * is above it, at another file system, at a directory that neither the person nor root owns or that others
 * can write, and at a mark of somebody else.
 */
size_t project_root(const char *cwd, const struct project_root_view *v);

#endif
