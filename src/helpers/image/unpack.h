/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One layer being unpacked: what its parts share. Only directories that this layer made are held as struct
 * unpack_dir; every name is resolved from the top, one by one, over this layer and those below it, so that no
 * link leads out.
 */
#ifndef HELPERS_IMAGE_UNPACK_H
#define HELPERS_IMAGE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "aisbx/error.h"
#include "helpers/image/owner.h"
#include "helpers/image/tar_read.h"

#define UNPACK_DEPTH_MAX 256u /* names in a path */
#define UNPACK_LINKS_MAX 40u  /* followed in one path, as the kernel does */

struct unpack_dir {
	struct unpack_dir *parent, *first, *next, *before; /* borrowed; FIRST: of its own directories */
	struct unpack_dir *chain;                          /* in the table, borrowed */
	struct unpack_dir *newer, *older;                  /* by use, while FD is open */
	int fd;                                            /* owned, -1: not open */
	uint16_t *lowers; /* owned; layers that are merged in it, newest first */
	uint16_t n_lowers;
	bool lowers_known;
	bool opaque;
	bool xattrs;      /* it may have some */
	bool times_later; /* set at the end: */
	bool mode_later;
	mode_t mode;
	gid_t gid; /* on disk */
	struct timespec times[2];
	char *acl; /* owned; the list that its new files would get, set at the end */
	size_t acl_len;
	unsigned int depth;
	uint32_t hash;
	size_t path_len; /* of its path below the top */
	char name[];
};

/* What was left out and is told. */
struct unpack_told {
	uint64_t devices, xattrs, owners, setuid, ignored;
};

struct unpack {
	int into;
	int *below; /* oldest first */
	size_t n_below;
	struct unpack_names *names; /* owned; of each layer below, or NULL */
	uint32_t id_shift;
	enum owner_ids ids;
	bool can_chown;  /* as root, or in a namespace with subordinate ids */
	bool can_always; /* permissions do not bind us */
	uid_t uid;       /* what a new file belongs to, unless */
	gid_t gid;
	bool inherits; /* it may get the group of the directory it is made in */
	uint64_t max_bytes, max_files;

	uint64_t bytes, files;
	struct unpack_told told;

	struct unpack_dir *top; /* owned */
	struct unpack_dir **table;
	size_t table_size, n_dirs;
	struct unpack_dir *newest, *oldest;
	size_t n_open, max_open;
};

/* An entry of a lower layer. */
struct unpack_lower {
	int fd; /* owned; O_PATH, -1: there is none */
	struct stat st;
	uint16_t layer;   /* in which it is */
	uint16_t *layers; /* owned; of a directory: all that are merged in it, newest first */
	uint16_t n_layers;
};

/* A name of a file that has several, in a lower layer. */
struct unpack_name {
	ino_t ino;
	char *path; /* owned */
};

struct unpack_names {
	struct unpack_name *items; /* owned; by inode */
	size_t n, room;
	bool known;
};

/* unpack_dir.c: directories of this layer. */
int unpack_top_create(struct unpack *u, struct aisbx_error *e);
void unpack_dirs_finish(struct unpack *u);
struct unpack_dir *unpack_dir_find(const struct unpack *u, const struct unpack_dir *parent, const char *name);
/* It was made on disk just now, or is about to be. */
int unpack_dir_add(struct unpack *u, struct unpack_dir *parent, const char *name, struct unpack_dir **ret,
		   struct aisbx_error *e);
/* A descriptor of it, good until the next call; or a negative errno, with E. */
int unpack_dir_fd(struct unpack *u, struct unpack_dir *d, struct aisbx_error *e);
/* Its path below the top; "." is the top. */
void unpack_dir_path(const struct unpack_dir *d, char ret[TAR_NAME_MAX + 1]);
/* It hides what is below it. */
int unpack_dir_hide(struct unpack *u, struct unpack_dir *d, struct aisbx_error *e);
/* Removes NAME from DIR, with all that is in it. *RET_WAS: whether it was there; may be NULL. */
int unpack_remove(struct unpack *u, struct unpack_dir *dir, const char *name, bool *ret_was,
		  struct aisbx_error *e);
/* Sets times and permissions that had to wait. */
int unpack_dirs_end(struct unpack *u, struct aisbx_error *e);

/* unpack_lower.c: what is below. */
void unpack_lower_finish(struct unpack_lower *l);
int unpack_lower_find(struct unpack *u, struct unpack_dir *dir, const char *name, struct unpack_lower *ret,
		      struct aisbx_error *e);
/* The directory that is found below, made here with the same attributes. */
int unpack_copy_dir(struct unpack *u, struct unpack_dir *dir, const char *name, struct unpack_lower *from,
		    struct unpack_dir **ret, struct aisbx_error *e);
/* The file or link that is found below, likewise. */
int unpack_copy_file(struct unpack *u, struct unpack_dir *dir, const char *name,
		     const struct unpack_lower *from, struct aisbx_error *e);
/* The top gets the attributes of the top below. */
int unpack_copy_top(struct unpack *u, struct aisbx_error *e);

/* unpack_names.c: files with several names. */
/* The file that was found below was copied to DIR/NAME: its other names, as far as they can be seen, become
 * names of the copy. */
int unpack_copy_names(struct unpack *u, struct unpack_dir *dir, const char *name,
		      const struct unpack_lower *from, struct aisbx_error *e);
void unpack_names_finish(struct unpack *u);

/* unpack_path.c: names. */
/* The directory in which PATH (not the top itself) is; *RET_NAME is in PATH. If there is none, neither here
 * nor below, it is made with MAKE, and NULL without. */
int unpack_parent(struct unpack *u, const char *path, bool make, struct unpack_dir **ret,
		  const char **ret_name, struct aisbx_error *e);
/* PATH without what means nothing, "" is the top; refuses what cannot be. */
int unpack_clean(const char *path, char ret[TAR_NAME_MAX + 1], struct aisbx_error *e);
/* A directory that no entry describes, or described so far. */
int unpack_make_dir(struct unpack *u, struct unpack_dir *dir, const char *name, bool hide,
		    struct unpack_dir **ret, struct aisbx_error *e);

/* whiteout.c */
enum whiteout {
	WHITEOUT_NONE,    /* an ordinary name */
	WHITEOUT_NAME,    /* *RET_NAME is gone from the layers below */
	WHITEOUT_OPAQUE,  /* everything of its directory is */
	WHITEOUT_IGNORED, /* what aufs kept for itself */
	WHITEOUT_INVALID,
};
/* PATH is clean. *RET_NAME is in it. */
enum whiteout whiteout_of(const char *path, const char **ret_name);
int unpack_whiteout(struct unpack *u, const char *path, enum whiteout kind, const char *name,
		    struct aisbx_error *e);

/* unpack_attr.c: owner, mode, extended attributes, times. */
/* Of FD, which is of TYPE S_IFREG, S_IFDIR (then DIR) or another one (then FD is its directory and NAME is
 * used). */
int unpack_set_file(struct unpack *u, int fd, const struct tar_entry *t, struct aisbx_error *e);
int unpack_set_dir(struct unpack *u, struct unpack_dir *d, const struct tar_entry *t, struct aisbx_error *e);
int unpack_set_other(struct unpack *u, int dir_fd, const char *name, const struct tar_entry *t,
		     struct aisbx_error *e);

/* unpack_entry.c */
int unpack_entry(struct unpack *u, struct tar_reader *r, const struct tar_entry *t, struct aisbx_error *e);
/* Everything of an archive, without the end of what was started (unpack_dirs_end). */
int unpack_all(struct unpack *u, struct tar_source source, void (*progress)(void *ctx), void *ctx,
	       struct aisbx_error *e);

/* Errors with the name of the entry. */
int unpack_fail(struct aisbx_error *e, int err, const char *what, const char *name);

#endif
