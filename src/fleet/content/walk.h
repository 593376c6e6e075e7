/* SPDX-License-Identifier: Apache-2.0 */
/* A directory on disk as a tree, or several as overlayfs would show them together; the content of files is
 * somebody else's part. */
#ifndef FLEET_CONTENT_WALK_H
#define FLEET_CONTENT_WALK_H

#include "fleet/content/files.h"
#include "fleet/content/tree.h"

/* So many layers can lie over a directory: each level of directories may have one of each open. */
#define CONTENT_OVER_MOST 128u

/* Fills the chunks of N from FD, which is open for reading, and decides whether STAMP is sure. */
typedef int content_file_fn(void *ctx, int fd, struct content_entry *n, struct content_stamp *stamp,
			    struct aisbx_error *e);
/* Fills them without reading the file, if it can: 1. */
typedef int content_skip_fn(void *ctx, struct content_entry *n, struct content_stamp *stamp);

struct content_walk {
	content_skip_fn *skip;
	content_file_fn *file;
	void *ctx;
	const char *const *without; /* borrowed; paths that stay here, with all below them */
	size_t n_without;
	const char *const *over; /* borrowed; layers over the directory, oldest first */
	size_t n_over;
	struct content_tree tree;     /* owned */
	struct content_stamp *stamps; /* owned; one for each entry */
	uint64_t left_out;            /* sockets, devices, and attributes that do not travel */
	uint64_t kept;                /* of those that stay here */
	size_t stamps_room;
	void *names; /* owned; files with several names */
};

int content_walk_dir(struct content_walk *w, const char *path, struct aisbx_error *e);
void content_walk_finish(struct content_walk *w);

#endif
