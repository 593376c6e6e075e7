/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base versions: what the host had where a box changed something, the third side of a merge. Overlayfs does
 * not keep it, so after each run the host's file of every newly changed path is recorded, with its content if
 * it is small or can be shared. That is correct only if the host did not change it during the run; its ctime
 * tells.
 */
#ifndef LAYER_BASE_H
#define LAYER_BASE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/pool.h"
#include "base/str.h"
#include "layer/change.h"
#include "layer/tree_root.h"
#include "layer/checksum.h"

struct open_view;

enum base_state {
	BASE_ABSENT, /* the host had nothing there */
	BASE_KNOWN,
	BASE_UNKNOWN, /* the host changed it during the run */
};

/* Who wrote a record. */
enum {
	BASE_OF_RUN,
	BASE_PROMOTED, /* a promotion: it is newer than all before it, unless that was undone */
	BASE_ALSO,     /* only a condition: the next record is valid only if this promotion is, too */
};

#define BASE_ID_MAX 24

struct base {
	const char *path; /* borrowed from the map */
	enum base_state state;
	bool whole; /* of a directory: everything below it is recorded, too */
	uint8_t who;
	const char *promotion; /* borrowed as well; which one, unless it is from a run; "": always valid */
	struct stat st;
	uint64_t xattrs;
	const char *dir;  /* borrowed; where blobs/ is */
	const char *blob; /* borrowed as well; its content there, for blob_file(); "" if not stored */
	/* borrowed as well; checksum of a content that is not stored; "": not even that */
	const char *sum;
};

struct base_map {
	struct base *items; /* owned; sorted by path */
	size_t n;
	struct pool texts;   /* owned; what they point to */
	struct strlist dirs; /* owned */
};

/* Which records of promotions are valid; NULL in its place: all. Those of runs always are. */
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
/*
 * All records, also invalid ones and conditions: sorted by path, those of one path in the order in which they
 * were written.
 */
int base_history_read(const char *const *dirs, size_t n, struct base_map *ret, struct aisbx_error *e);
/* As base_map_read, of several trees: PREFIXES has for each of DIRS what its paths are below. */
int base_map_read_below(const char *const *dirs, const char *const *prefixes, size_t n,
			const struct base_filter *filter, struct base_map *ret, struct aisbx_error *e);
void base_map_finish(struct base_map *m);
/* NULL when nothing is recorded. */
const struct base *base_find(const struct base_map *m, const char *path);

/* How many files and directories the host had directly in DIR, as far as recorded. */
size_t base_count_in(const struct base_map *m, const char *dir);

/* Copies all records and contents of one tree (a descriptor) to another, after its own. Negative errno. */
int base_take(int from_tree, int to_tree);

/* A run starts in the layer whose directory is DIR: later changes of the host may be mixed into it. */
int base_open_window(const char *dir, struct aisbx_error *e);

/*
 * If a run of the layer DIR has started: records what TREE of it changed of HOST, and ends it. DIRS as above,
 * with this one.
 */
int base_settle(const char *dir, const char *tree, const char *host, const char *const *dirs, size_t n,
		const struct base_filter *filter, struct aisbx_error *e);

/* The same for one of several trees: the run ends with base_close_window. */
int base_settle_tree(const char *dir, const char *tree, const char *host, const char *const *dirs, size_t n,
		     const struct base_filter *filter, struct aisbx_error *e);
int base_close_window(const char *dir, struct aisbx_error *e);

/* Of a host's tree. All is borrowed. */
struct base_copy {
	const char *host, *copy;
	struct timespec since;
	const char *const *dirs;
	size_t n;
	const struct base_filter *filter; /* of DIRS; may be NULL */
};

/*
 * Records what TREE of the layer DIR changed of HOST, of which it had a copy from SINCE on. COPY has what
 * that copy had at the names that the layer has, and below those that it removes or replaces; nobody changes
 * it. A file of the host's that was not changed since then is recorded itself. DIRS: of layers that were over
 * the host when the copy was made; what these have recorded stays as it is.
 */
int base_settle_copy(const char *dir, const char *tree, const struct base_copy *copy, struct aisbx_error *e);

/*
 * Records of promotion ID: the box's next changes to PATHS are based on the current state of TARGET. WHOLE
 * (may be NULL): directories that are completely included.
 */
int base_note_promotion(const char *tree_dir, const char *id, struct tree_root *target,
			const char *const *paths, const bool *whole, size_t n, struct aisbx_error *e);
/* What promotion ID recorded of PATHS in the layers DIRS stays valid, although the rest was undone. */
int base_keep(const char *tree_dir, const char *const *dirs, size_t n_dirs, const char *id,
	      const char *const *paths, size_t n, struct aisbx_error *e);
/*
 * The same if the target got more than the box has, by a merge: then the current state of the box is the base
 * of its next changes.
 */
int base_note_merge(const char *tree_dir, const char *id, struct open_view *box, const char *const *paths,
		    size_t n, struct aisbx_error *e);

/* A record derived from others: it takes precedence over all earlier ones, if all of NEEDS are valid. */
struct base_note {
	const char *path;
	enum base_state state;
	bool whole;
	struct stat st; /* with inode 0: no file of the host's */
	uint64_t xattrs;
	const char *file;       /* its content; NULL: not stored */
	char sum[CHECKSUM_MAX]; /* of one that is not stored */
	bool is_blob;           /* that is another record's */
	const char *const *needs;
	size_t n_needs;
};

int base_write(const char *tree_dir, const struct base_note *notes, size_t n, struct aisbx_error *e);

#endif
