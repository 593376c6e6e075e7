/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of this machine that can be cloned: the top directories, the mounts below them, and the person's
 * home. Read again for each run; takes the same time whatever the size of the trees.
 */
#ifndef LAYER_HOST_H
#define LAYER_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/str.h"

enum host_entry_kind {
	HOST_CLONE, /* a directory without mounts below: an overlay can use it */
	HOST_EMPTY, /* an empty directory, or one that cannot be read */
	HOST_LINK,  /* a symbolic link */
	HOST_FILE,  /* a file beside a mount point */
};

struct host_entry {
	enum host_entry_kind kind;
	char *path;   /* owned */
	char *target; /* owned; of a link */
	bool bare;    /* of an empty directory: it can be written to, and nothing is mounted there */
};

struct host_view {
	struct host_entry *entries; /* owned */
	size_t n_entries;
	char **mounts; /* owned; mount points of real file systems outside the special places; directories */
	size_t n_mounts;
	struct strlist files;  /* owned; of those, and of tmpfs: files that are mounted on files */
	struct strlist covers; /* owned; whatever else is mounted on files, as /dev/null to hide one */
	char *home;            /* owned; real path, or NULL if there is none to hide */
};

void host_view_finish(struct host_view *v);

/*
 * WHOLE: do not split the tree at mount points (the caller can clone "/" itself); then only `mounts`,
 * `files`, `covers` and `home` are filled. OVER: nor for the sake of `files` and `covers`, which the caller
 * puts over the clones. Directories that every box has for itself (/proc, /tmp, /home, ...) are never listed.
 */
int host_view_read(bool whole, bool over, struct host_view *ret_view, struct aisbx_error *e);

/* The person's home as far as it is worth hiding: real, and not the root or a part of the system. Heap, or
 * NULL. */
char *host_home(void);

/* Paths below DIR, relative to it, where something is mounted. */
int host_mounts_below(const char *dir, struct strlist *ret, struct aisbx_error *e);

/* /proc, /sys, /dev, /run, /tmp, /home, /root and everything below them. */
bool host_is_special(const char *path);

#endif
