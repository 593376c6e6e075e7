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

/* One list for diff, merge, promotion and their tests; docs/internals/changes.md has it for people. */
#define CHANGE_KINDS(X)                                                               \
	X(NONE, "none")                                                               \
	X(CREATE, "created")                                                          \
	X(MODIFY, "modified") /* other content, or another target of a link */        \
	X(DELETE, "deleted")                                                          \
	X(REPLACE, "replaced") /* another type of file */                             \
	X(MODE, "mode")        /* other permissions or another owner, same content */ \
	X(XATTR, "xattr")      /* other extended attributes, the rest the same */     \
	X(TOUCH, "touched")    /* another time, the rest the same */

enum change_kind {
#define X(id, name) CHANGE_##id,
	CHANGE_KINDS(X)
#undef X
		CHANGE_KIND_COUNT
};

const char *change_kind_name(enum change_kind kind);

/* What exactly differs of two files of one type. */
enum {
	DIFF_CONTENT = 1,
	DIFF_MODE = COPY_MODE,
	DIFF_XATTR = COPY_XATTR,
	DIFF_TIME = COPY_TIME,
};

/* One side of a comparison: a file as it is, or as it once was. */
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
 * The kind of change from A to B, and with it DIFF_ bits; or a negative errno. A content that nobody knows is
 * another one, unless it is the very same file by its ctime. Where the host lets nobody read it, size and
 * time tell.
 */
int change_compare(const struct thing *a, const struct thing *b, unsigned int *ret_bits);
/* "file", "directory", "symlink", "fifo", "socket", "device" */
const char *change_type_name(mode_t mode);

/* There can be 100,000 of them: it keeps no more than it must. */
struct change {
	enum change_kind kind;
	char *path;                /* owned; relative to the tree */
	mode_t old_mode, new_mode; /* with type; 0 where there is none */
	off_t old_size, new_size;
	uint16_t old_top, new_top; /* under which of the list's tops it lies */
};

/* A point: what lies on HOST. No layers: the host itself. */
struct view {
	const char *host;       /* borrowed; absolute */
	const char *const *ups; /* borrowed; directories of changes, oldest first */
	size_t n_ups;
	int64_t id_delta; /* added to the owners in the layers, to make them the host's */
};

struct change_list {
	struct change *items; /* owned; sorted by path */
	size_t n;
	struct strlist tops[2]; /* owned; of each side: the host, then its layers */
	struct strlist gits; /* directories, and names, of git's own where something differs: what, is for git
				to say */
};

void change_finish(struct change *c);
void change_list_finish(struct change_list *l);
/* Where the content lies on disk now; heap, or NULL where there is none, and when memory ran out. */
char *change_old_file(const struct change_list *l, const struct change *c);
char *change_new_file(const struct change_list *l, const struct change *c);

/*
 * What must be done to A to make it B. Costs by what the layers hold, not by what the host holds. More than
 * there is memory for (base/memory.h) is refused with -ENOBUFS.
 */
int change_list_read(const struct view *a, const struct view *b, struct change_list *ret,
		     struct aisbx_error *e);

#endif
