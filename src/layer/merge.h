/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three-way merge of each path that a box changed: the base, the box's version, the target's current version.
 * Decides what to do; does nothing. The table in merge.c is the whole policy.
 */
#ifndef LAYER_MERGE_H
#define LAYER_MERGE_H

#include "layer/base.h"
#include "layer/view.h"

enum merge_outcome {
	MERGE_APPLY, /* the target did not change: the box's version is used */
	MERGE_BOTH,  /* both changed, and both changes are used */
	MERGE_CONFLICT,
};

/* How a conflict is resolved. */
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
	MERGE_ATTRS, /* permissions, owner, extended attributes, times; the file stays the same one */
	/* part of a directory that is made as a whole: the nearest earlier step that is none of these */
	MERGE_INSIDE,
};

/* The parts of struct stat that a plan needs: there can be 100,000 steps, and it is most of each. */
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
	bool refused;          /* of a conflict: it cannot be resolved, the target stays as it is */
	bool chosen;  /* a person accepted only a part of the box's content: MERGED is what they accepted */
	bool idle;    /* the merged content equals the target's: the step can be dropped */
	char *base;   /* owned; then: file with the base's */
	char *merged; /* owned; then: file with the result */
};

struct merge_stale {
	char *path; /* owned */
	enum change_kind host;
};

/* The same file under a name that needs no change: others may be hard links to it. */
struct merge_twin {
	dev_t dev;
	ino_t ino;
	char *path; /* owned; in the target */
};

/* A pipe, socket or device made in the box: it stays there. */
struct merge_left {
	char *path; /* owned */
	mode_t mode;
};

struct merge_plan {
	struct merge_step *steps; /* owned; a directory before what is in it */
	size_t n;
	struct merge_stale *stale; /* owned; what the target changed of what the box changed */
	size_t n_stale;
	struct merge_twin *twins; /* owned */
	size_t n_twins;
	struct merge_left *left; /* owned */
	size_t n_left;
	/* git directories, and names in them, that the box changed: they stay as they are */
	struct strlist gits;
};

void merge_plan_finish(struct merge_plan *p);

struct merge_sides {
	struct open_view *box, *target;
	struct open_view *ancestor; /* NULL, or the common base if it knows more than BASES */
	const struct base_map *bases;
	const struct strlist *mounts; /* NULL, or mount points in the target */
	const char *kept; /* NULL, or a directory that never changes with contents that BASES tell of */
	const struct strlist *only; /* NULL: everything; else paths */
	enum merge_resolution resolution;
	const char *box_name; /* for names put beside */
	/* Whether an undo removed the directory ST at PATH; NULL: not known. */
	bool (*was_undone)(void *ctx, const char *path, const struct stat *st);
	void *undone; /* borrowed; its CTX */
	/* the target is a box: what its layers do not mention belongs to the box, whatever the host has there
	 * now */
	bool combines;
};

/* More steps than there is memory for (base/memory.h) are refused with -ENOBUFS. */
int merge_read(const struct merge_sides *sides, struct merge_plan *ret, struct aisbx_error *e);

/*
 * One file or directory of the box, changed or not, to PATH in the target. MAY_REPLACE: the existing one is
 * ours.
 */
int merge_one_path(const struct merge_sides *sides, const char *source, const char *path, bool may_replace,
		   struct merge_plan *ret, struct aisbx_error *e);

/*
 * After the contents were merged: those of step AT could not be. MARKED: but there is a text with conflict
 * markers.
 */
int merge_text_failed(struct merge_plan *plan, size_t at, const struct merge_sides *sides, bool marked,
		      const char *why, struct aisbx_error *e);

/* Turns S into a conflict that cannot be resolved. Its reason is NULL if memory ran out. */
void merge_refuse(struct merge_step *s, const char *why);

/* Removes idle steps. */
void merge_drop_idle(struct merge_plan *p);

const char *merge_outcome_name(enum merge_outcome o);
const char *merge_resolution_name(enum merge_resolution r);
/* Stop if NAME is NULL, or none. */
enum merge_resolution merge_resolution_by_name(const char *name);
/* The combination of two changes of one path; for tests and documents, too. NULL: impossible. */
const char *merge_action_name(enum change_kind box, enum change_kind host);

#endif
