/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three sides of each path that a box touched: the base, what the box made of it, what the target has now.
 * Decides what is to be done; does nothing. The table in merge.c is the whole policy.
 */
#ifndef LAYER_MERGE_H
#define LAYER_MERGE_H

#include "layer/base.h"
#include "layer/view.h"

enum merge_outcome {
	MERGE_APPLY, /* the target did nothing: the box's version goes in */
	MERGE_BOTH,  /* both did something, and both go in */
	MERGE_CONFLICT,
};

/* What becomes of a conflict. */
#define MERGE_RESOLUTIONS(X) \
	X(STOP, "stop") X(KEEP, "keep") X(OVERWRITE, "overwrite") X(SIDE, "both") X(MARK, "mark")

enum merge_resolution {
#define X(id, name) RESOLVE_##id,
	MERGE_RESOLUTIONS(X)
#undef X
};

/* What is done to the target. */
enum merge_op {
	MERGE_NOTHING,
	MERGE_CREATE,  /* nothing was there */
	MERGE_REPLACE, /* something is */
	MERGE_DELETE,
	MERGE_ATTRS,  /* permissions, owner, extended attributes, times; the file stays the same one */
	MERGE_INSIDE, /* part of a directory that is made as a whole: the nearest step before that is none of
			 these */
};

/* What of a file's struct stat a plan needs: there can be 100,000 steps, and it is most of each. */
struct merge_file {
	dev_t st_dev;
	ino_t st_ino;
	off_t st_size;
	blkcnt_t st_blocks;
	mode_t st_mode;
	uint32_t st_nlink;
	uid_t st_uid;
	gid_t st_gid;
};

struct merge_file merge_file_of(const struct stat *st);

struct merge_step {
	enum merge_op op : 8;
	enum merge_outcome outcome : 8;
	enum change_kind box : 8, host : 8; /* against the base */
	char *path;                         /* owned; in the target */
	char *source;                       /* owned; in the box; NULL: the same */
	char *reason;                       /* owned; of a conflict: for a person */
	struct merge_file now;              /* of the box's version; mode 0: none */
	struct timespec old_mtim, old_ctim;
	struct merge_file old; /* of the target's, as it was looked at; mode 0: none */
	unsigned int take;     /* DIFF_ bits that come from the box; the others stay the target's */
	bool text;             /* the contents are to be merged */
	bool refused;          /* of a conflict: no resolution helps, the target stays as it is */
	bool idle;             /* the merged content is the target's own: the step can go */
	char *base;            /* owned; then: file with the base's */
	char *merged;          /* owned; then: file with the result */
};

struct merge_stale {
	char *path; /* owned */
	enum change_kind host;
};

/* One and the same file under a name that needs no change: others may be links to it. */
struct merge_twin {
	dev_t dev;
	ino_t ino;
	char *path; /* owned; in the target */
};

/* A pipe, socket or device that the box made: it stays there. */
struct merge_left {
	char *path; /* owned */
	mode_t mode;
};

struct merge_plan {
	struct merge_step *steps; /* owned; a directory before what is in it */
	size_t n;
	struct merge_stale *stale; /* owned; what the target changed of what the box touched */
	size_t n_stale;
	struct merge_twin *twins; /* owned */
	size_t n_twins;
	struct merge_left *left; /* owned */
	size_t n_left;
	struct strlist gits; /* directories, and names, of git's own in which the box did something: they stay
				as they are */
};

void merge_plan_finish(struct merge_plan *p);

struct merge_sides {
	struct eye *box, *target;
	struct eye *ancestor; /* NULL, or what both are based on where it knows more than BASES */
	const struct base_map *bases;
	const struct strlist *mounts; /* NULL, or paths in the target where another file system begins */
	const char *kept; /* NULL, or a directory that never changes with contents that BASES tell of */
	const struct strlist *only; /* NULL: everything; else paths */
	enum merge_resolution resolution;
	const char *box_name; /* for names put beside */
	/* Whether an undo took away the directory ST at PATH; NULL: nobody knows. */
	bool (*was_undone)(void *ctx, const char *path, const struct stat *st);
	void *undone;  /* borrowed; its CTX */
	bool combines; /* the target is a box: what its layers say nothing of is the box's, whatever the host
			  has there now */
};

/* More steps than there is memory for (base/memory.h) are refused with -ENOBUFS. */
int merge_read(const struct merge_sides *sides, struct merge_plan *ret, struct aisbx_error *e);

/* One file or directory of the box, changed or not, to PATH in the target. MAY_REPLACE: what is there is
 * ours. */
int merge_artifact(const struct merge_sides *sides, const char *source, const char *path, bool may_replace,
		   struct merge_plan *ret, struct aisbx_error *e);

/* After the contents were merged: those of step AT could not be. MARKED: but there is a text with marks. */
int merge_text_failed(struct merge_plan *plan, size_t at, const struct merge_sides *sides, bool marked,
		      const char *why, struct aisbx_error *e);

/* Makes a conflict of S that no resolution helps. Its reason is NULL when memory ran out. */
void merge_refuse(struct merge_step *s, const char *why);

/* Removes idle steps. */
void merge_drop_idle(struct merge_plan *p);

const char *merge_outcome_name(enum merge_outcome o);
const char *merge_resolution_name(enum merge_resolution r);
/* Stop if NAME is NULL, or none. */
enum merge_resolution merge_resolution_by_name(const char *name);
/* What two changes of one path make together; for tests and documents, too. NULL: cannot be. */
const char *merge_action_name(enum change_kind box, enum change_kind host);

#endif
