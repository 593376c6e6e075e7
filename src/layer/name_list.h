/* SPDX-License-Identifier: Apache-2.0 */
/* The names in a tree, and the branch of its repository, at one time: used later to find what was removed. */
#ifndef LAYER_NAME_LIST_H
#define LAYER_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "aisbx/error.h"
#include "base/buf.h"

struct name {
	const char *path; /* borrowed from the list */
	uint64_t ino;
	bool is_dir;
	bool seen;   /* for who compares */
	bool walked; /* the same: a directory whose entries were all listed */
	bool later;  /* the same: and something was made or removed in it */
};

struct name_list {
	struct name *items; /* owned; sorted by path; "" is the tree itself */
	size_t n;
	bool complete;   /* otherwise ITEMS is empty: there was no time to list them */
	char *branch;    /* owned; "refs/heads/main", or the commit; NULL: no repository */
	struct buf text; /* owned; what paths point into */
};

void name_list_finish(struct name_list *n);

/* Entries that are in no list of a project: git's own, and a promotion's. */
bool name_list_leaves_out(const char *dir, const char *name);

/*
 * Of the tree ROOT. Takes about BUDGET_US (0: no limit): beyond that there is no list. INOS: inode numbers of
 * ROOT are meaningful.
 */
int name_list_read_tree(const char *root, uint64_t budget_us, bool inos, struct name_list *ret,
			struct aisbx_error *e);
/* Heap, or NULL: no repository, or none that can be read. */
char *name_list_branch(const char *root, struct timespec *ret_ctime);

int name_list_save(const struct name_list *n, const char *file, struct aisbx_error *e);
/* A missing or incomplete file is no list. */
int name_list_load(const char *file, struct name_list *ret, struct aisbx_error *e);

/* NULL: it was not there. */
struct name *name_list_find(const struct name_list *n, const char *path);

#endif
