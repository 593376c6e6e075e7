/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of a directory were cut into when they were last looked at. A file with the same inode, size
 * and times has the same content, so it need not be read again; one that was changed just before it was read
 * is not remembered, because its time might not change with its next change.
 */
#ifndef FLEET_CONTENT_FILES_H
#define FLEET_CONTENT_FILES_H

#include <sys/stat.h>

#include "fleet/content/cache.h"
#include "fleet/content/tree.h"

/* Which version of which file. */
struct content_stamp {
	uint64_t dev, ino, size;
	int64_t mtime, ctime; /* nanoseconds */
	bool is_sure;
};

struct content_seen {
	const char *path; /* borrowed; ends with a NUL */
	struct content_stamp stamp;
	const uint8_t *refs; /* borrowed; as written */
	uint32_t n_refs;
};

struct content_files {
	struct buf text;            /* owned */
	const char *dir;            /* borrowed from it */
	struct content_seen *items; /* owned; sorted as in a tree */
	size_t n;
	size_t at; /* where content_files_find goes on */
};

void content_stamp_of(const struct stat *st, struct content_stamp *ret);
bool content_stamp_is_same(const struct content_stamp *a, const struct content_stamp *b);

void content_files_finish(struct content_files *f);
/* Of the directory DIR, absolute. Without any, or when they are damaged, there are none. */
void content_files_load(const struct content_cache *c, const char *dir, struct content_files *ret);
/* The same of the file NAME in the directory FD of such. -EBADMSG, or a negative errno. */
int content_files_open(int fd, const char *name, struct content_files *ret);
/* Paths are asked for in order. NULL: it is another version. */
const struct content_seen *content_files_find(struct content_files *f, const char *path,
					      const struct content_stamp *st);
struct content_ref content_seen_ref(const struct content_seen *s, uint32_t i);

/* STAMPS: one for each entry of T. */
int content_files_save(const struct content_cache *c, const char *dir, const struct content_tree *t,
		       const struct content_stamp *stamps);

#endif
