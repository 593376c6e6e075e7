/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contents stored for records of base versions, in the directory "blobs" of a tree: links and large files
 * each as a file of their own, small files appended to one. They never change, so that trees share them by
 * hard links.
 */
#ifndef LAYER_BLOB_H
#define LAYER_BLOB_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"

#define BLOB_NAME_MAX 32

/* What one writer stores. */
struct blob_files {
	int tree;           /* borrowed */
	int dir;            /* owned; -1 until the first */
	int pack;           /* owned; small files; -1 until the first */
	uint64_t name;      /* first part of all names */
	unsigned int n;     /* files of their own */
	uint64_t packed;    /* bytes in the pack */
	struct buf waiting; /* what comes behind them */
};

#define BLOBS_INIT                                \
	{                                         \
		.tree = -1, .dir = -1, .pack = -1 \
	}

/* Negative errno, as all here. */
int blobs_open(int tree, struct blob_files *ret);
void blobs_finish(struct blob_files *b);

/*
 * The content of the regular file FD, as large as ST says. A large one is stored only if it costs nothing:
 * -EOPNOTSUPP and the like.
 */
int blobs_keep_file(struct blob_files *b, int fd, const struct stat *st, char ret_name[BLOB_NAME_MAX]);
int blobs_keep_link(struct blob_files *b, int at, const char *name, char ret_name[BLOB_NAME_MAX]);
/* The file FILE of another tree's blobs, by a link. */
int blobs_keep_blob(struct blob_files *b, const char *file, char ret_name[BLOB_NAME_MAX]);
/* What was stored so far is in files. Before any record that names it. */
int blobs_write(struct blob_files *b);

/* NAME of the tree TREE, under the same name. */
int blobs_take_one(struct blob_files *b, const char *tree, const char *name);
/* All of a tree's (a descriptor) into another's. */
int blobs_take(int from_tree, int to_tree);

/* Path of a file with the content NAME of the tree TREE. */
int blob_file(const char *tree, const char *name, char **ret);

#endif
