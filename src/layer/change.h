/* SPDX-License-Identifier: Apache-2.0 */
/* How one path differs between two points: the host, or the host under a chain of layers. */
#ifndef LAYER_CHANGE_H
#define LAYER_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "aisbx/error.h"
#include "base/str.h"
#include "layer/copy.h"

/* One list for diff, merge, promotion and their tests; docs/internals/changes.md explains it. */
#define CHANGE_KINDS(X)                                                                \
	X(NONE, "none")                                                                \
	X(CREATE, "created")                                                           \
	X(MODIFY, "modified") /* different content, or different target of a link */   \
	X(DELETE, "deleted")                                                           \
	X(REPLACE, "replaced") /* different file type */                               \
	X(MODE, "mode")        /* different permissions or owner, same content */      \
	X(XATTR, "xattr")      /* different extended attributes, otherwise the same */ \
	X(TOUCH, "touched")    /* different time, otherwise the same */

enum change_kind {
#define X(id, name) CHANGE_##id,
	CHANGE_KINDS(X)
#undef X
		CHANGE_KIND_COUNT
};

const char *change_kind_name(enum change_kind kind);

/* How exactly two files of one type differ. */
enum {
	DIFF_CONTENT = 1,
	DIFF_MODE = COPY_MODE,
	DIFF_XATTR = COPY_XATTR,
	DIFF_TIME = COPY_TIME,
};

/* One side of a comparison: a file as it is, or as it was. */
struct thing {
	bool exists;
	struct stat st;   /* owners as on the host */
	int64_t id_delta; /* what made them so: for ids in access lists */
	int at;           /* where it lies: a directory's descriptor, or AT_FDCWD */
	const char *name; /* borrowed; NULL: only its attributes are known, and */
	const char *sum;  /* borrowed; that of its content; NULL or "": not even that */
	bool has_sum;     /* what lies there is a copy of the content alone, and */
	uint64_t xattrs;  /* this is copy_xattr_sum() of the original */
};

/*
 * The kind of change from A to B, and with it DIFF_ bits; or a negative errno. An unknown content counts as
 * different, unless it is the very same file by its ctime. If the host does not let anybody read it, size and
 * time decide.
 */
int change_compare(const struct thing *a, const struct thing *b, unsigned int *ret_bits);
/* "file", "directory", "symlink", "fifo", "socket", "device" */
const char *change_type_name(mode_t mode);

/* There can be 100,000 of them: it stores no more than necessary. */
struct change {
	enum change_kind kind;
	char *path;                /* owned; relative to the tree */
	mode_t old_mode, new_mode; /* with type; 0 where there is none */
	off_t old_size, new_size;
	uint16_t old_top, new_top; /* index of its top */
};

/* A point: HOST under some layers. No layers: the host itself. */
struct view {
	const char *host;       /* borrowed; absolute */
	const char *const *ups; /* borrowed; directories of changes, oldest first */
	size_t n_ups;
	/* NULL; or one for each of UPS: the directory below HOST, relative to it, that it has changes of.
	 * Their own attributes do not count then. */
	const char *const *prefixes;
	int64_t id_delta; /* added to the owners in the layers, to make them the host's */
};

struct change_list {
	struct change *items; /* owned; sorted by path */
	size_t n;
	struct strlist tops[2]; /* owned; of each side: the host, then its layers */
	/* git directories, and names in them, that differ: git decides what that means */
	struct strlist gits;
};

void change_finish(struct change *c);
void change_list_finish(struct change_list *l);
/* Where the content is on disk now; heap, or NULL if there is none, or if memory ran out. */
char *change_old_file(const struct change_list *l, const struct change *c);
char *change_new_file(const struct change_list *l, const struct change *c);

/*
 * The changes from A to B. The time depends on the size of the layers, not of the host. More than there is
 * memory for (base/memory.h) is refused with -ENOBUFS.
 */
int change_list_read(const struct view *a, const struct view *b, struct change_list *ret,
		     struct aisbx_error *e);

#endif
