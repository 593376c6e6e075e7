/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host had where a box changed something: the third side of a merge. Overlayfs keeps none of it, so
 * after each run the host's file of every newly changed path is remembered, its content too if it is small or
 * can be shared. That is the truth only if the host did not change it while the run went on; its ctime tells.
 */
#ifndef LAYER_BASE_H
#define LAYER_BASE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/pool.h"
#include "base/str.h"
#include "layer/change.h"
#include "layer/place.h"
#include "layer/sum.h"

struct eye;

enum base_state {
	BASE_ABSENT, /* the host had nothing there */
	BASE_KNOWN,
	BASE_UNKNOWN, /* the host changed it during the run */
};

/* Who wrote a record. */
enum {
	BASE_OF_RUN,
	BASE_PROMOTED, /* a promotion: it is newer than all before it, if that was not taken back */
	BASE_ALSO,     /* none, but a condition: the next record counts only if this promotion does, too */
};

#define BASE_ID_MAX 24

struct base {
	const char *path; /* borrowed from the map */
	enum base_state state;
	bool whole; /* of a directory: everything below it is recorded, too */
	uint8_t who;
	const char
		*promotion; /* borrowed as well; which, unless it is of a run; "": one that counts for ever */
	struct stat st;
	uint64_t xattrs;
	const char *dir;  /* borrowed; where blobs/ is */
	const char *blob; /* borrowed as well; its content there, for blob_file(); "" when it was not kept */
	const char *sum;  /* borrowed as well; of a content that was not kept; "": not even that */
};

struct base_map {
	struct base *items; /* owned; sorted by path */
	size_t n;
	struct pool texts;   /* owned; what they point to */
	struct strlist dirs; /* owned */
};

/* Which records of promotions count; NULL in its place: all. Those of runs always do. */
struct base_filter {
	bool (*counts)(void *ctx, const struct base *b);
	void *ctx;
};

/*
 * DIRS: of the tree in each layer ("layers/ID/project"), oldest first. FILTER may be NULL. More records than
 * there is memory for (base/memory.h) are refused with -ENOBUFS.
 */
int base_map_read(const char *const *dirs, size_t n, const struct base_filter *filter, struct base_map *ret,
		  struct aisbx_error *e);
/* All records, also those that do not count and conditions: sorted by path, those of one path as they were
 * written. */
int base_history_read(const char *const *dirs, size_t n, struct base_map *ret, struct aisbx_error *e);
void base_map_finish(struct base_map *m);
/* NULL when nothing is recorded. */
const struct base *base_find(const struct base_map *m, const char *path);

/* How many files and directories the host had directly in DIR, as far as recorded. */
size_t base_count_in(const struct base_map *m, const char *dir);

/* All records and contents of one tree (a descriptor) into another, behind what that has. Negative errno. */
int base_take(int from_tree, int to_tree);

/* A run begins in the layer whose directory is DIR: what the host changes from now on may be
 * mixed into it. */
int base_open_window(const char *dir, struct aisbx_error *e);

/* If a window of the layer DIR is open: records what TREE of it changed of HOST, and closes it. DIRS as
 * above, with this one. */
int base_settle(const char *dir, const char *tree, const char *host, const char *const *dirs, size_t n,
		const struct base_filter *filter, struct aisbx_error *e);

/*
 * Records of promotion ID: the box's next changes to PATHS are based on what TARGET has now. WHOLE (may be
 * NULL): of which directories everything is among them.
 */
int base_note_promotion(const char *tree_dir, const char *id, struct place *target, const char *const *paths,
			const bool *whole, size_t n, struct aisbx_error *e);
/* What promotion ID recorded of PATHS in the layers DIRS counts for ever, though it was taken
 * back otherwise. */
int base_keep(const char *tree_dir, const char *const *dirs, size_t n_dirs, const char *id,
	      const char *const *paths, size_t n, struct aisbx_error *e);
/* The same where the target got more than the box has, by a merge: then what the box has now is the base of
 * what it does next. */
int base_note_merge(const char *tree_dir, const char *id, struct eye *box, const char *const *paths, size_t n,
		    struct aisbx_error *e);

/* A record that follows from others: it counts before all that were written earlier, if all of
 * NEEDS count. */
struct base_note {
	const char *path;
	enum base_state state;
	bool whole;
	struct stat st; /* with inode 0: no file of the host's */
	uint64_t xattrs;
	const char *file;  /* its content; NULL: not kept */
	char sum[SUM_MAX]; /* of one that was not kept */
	bool is_blob;      /* that is another record's */
	const char *const *needs;
	size_t n_needs;
};

int base_write(const char *tree_dir, const struct base_note *notes, size_t n, struct aisbx_error *e);

#endif
