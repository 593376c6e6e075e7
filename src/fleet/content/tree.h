/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree as it travels: all that is in a directory, sorted, each entry after its directory. Read, it is
 * complete and harmless: no name leads out of it, nothing lies inside of what is no directory, none is twice.
 */
#ifndef FLEET_CONTENT_TREE_H
#define FLEET_CONTENT_TREE_H

#include <sys/types.h>

#include "base/buf.h"
#include "fleet/content/key.h"

#define CONTENT_PATH_MOST   4095u
#define CONTENT_DEPTH_MOST  256u
#define CONTENT_ENTRY_MOST  (4u << 20)          /* entries of a tree */
#define CONTENT_TREE_MOST   ((size_t)1 << 30)   /* bytes of a tree, as it travels */
#define CONTENT_XATTRS_MOST 64u                 /* of an entry */
#define CONTENT_VALUE_MOST  (64u << 10)         /* bytes of one */
#define CONTENT_FILE_MOST   ((uint64_t)1 << 50) /* bytes of a file */

enum content_type {
	CONTENT_DIR = 'd',
	CONTENT_FILE = 'f',
	CONTENT_LINK = 'l', /* symbolic */
	CONTENT_NAME = 'h', /* another name of a file that came before */
	CONTENT_FIFO = 'p',
	CONTENT_WHITEOUT = 'w', /* of overlayfs: a deletion */
};

struct content_xattr {
	char *name;  /* owned */
	char *value; /* owned */
	size_t len;
};

struct content_entry {
	enum content_type type;
	char *path; /* owned; "" is the top, which comes first */
	uint32_t mode, uid, gid;
	int64_t seconds; /* when it was changed */
	uint32_t nanoseconds;
	struct content_xattr *xattrs; /* owned; sorted by name */
	size_t n_xattrs;
	uint64_t size;            /* of a file */
	struct content_ref *refs; /* owned; of a file */
	size_t n_refs;
	char *target;  /* owned; of a link */
	uint32_t same; /* of another name: the number of the file's entry */
};

struct content_tree {
	struct content_entry *entries; /* owned */
	size_t n, room;
	uint64_t bytes; /* of all files */
};

void content_tree_finish(struct content_tree *t);
/* Leaves an entry without anything that is owned. */
void content_entry_finish(struct content_entry *n);
/* An empty entry at the end; NULL if memory ran out. */
struct content_entry *content_tree_add(struct content_tree *t);
int content_entry_add_ref(struct content_entry *n, const struct content_ref *ref);
int content_entry_add_xattr(struct content_entry *n, const char *name, const void *value, size_t len);

/* As names of a tree are sorted: a directory comes right before what is in it. */
int content_path_compare(const char *a, const char *b);
/* Attributes that mean the same on another machine. */
bool content_xattr_travels(const char *name);
/* Those of them that are only set together with owners: they name users or grant rights. */
bool content_xattr_is_strong(const char *name);

int content_tree_write(const struct content_tree *t, struct buf *ret);
/* What is wrong is refused with its name. */
int content_tree_read(const void *data, size_t len, struct content_tree *ret, struct aisbx_error *e);

#endif
