/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a box's changes into a real tree, and undoes that. */
#ifndef PROMOTE_PROMOTE_H
#define PROMOTE_PROMOTE_H

#include "box/box.h"
#include "box/caller.h"
#include "box/orphans.h"
#include "promote/git.h"
#include "box/ignored.h"
#include "promote/secret_leaks.h"
#include "promote/review.h"
#include "promote/traps.h"
#include "layer/merge.h"

struct box_promote_request {
	const char *snapshot;       /* "": the box as it is */
	const struct store_box *of; /* NULL, or the original box, of which this one is a fork */
	const struct strlist *only; /* NULL: everything; else paths below the project */
	const char *to;             /* NULL: the project; else an absolute path */
	const char *artifact;       /* NULL, or the one path below the project to promote, changed or not */
	bool ignored;               /* include files that git ignores */
	/* include branches and tags of its repositories that it does not have checked out */
	bool refs;
	/* NULL, or a branch of its repository: only that, and only as a fast-forward of the real one */
	const char *branch;
	bool system; /* what it changed outside of its project, into this machine's system */
	bool dry_run;
	bool yes;                            /* traps are known */
	const struct strlist *allow_secrets; /* names of allowed secrets; NULL: none */
	enum merge_resolution resolution;
	/* NULL, or the caller's directory: a project that was moved is searched there, too */
	const char *here;
	bool review;                               /* list what a person can accept; implies a dry run */
	const struct promote_selection *selection; /* NULL, or what a person accepted of that list */
	const char *
		/* NULL: a new one; else "p-" and 16 digits, for callers that must find it again after a crash
		 */
		id;
};

struct box_promotion {
	char id[STORE_ID_MAX]; /* "" unless it happened */
	char *target;          /* owned */
	struct merge_plan plan;
	struct box_trap *traps; /* owned */
	struct box_secret_leaks secret_leaks;
	struct box_git git;
	struct box_ignored ignored;   /* what was left out */
	struct promote_review review; /* if it was asked for */
	size_t n_traps, n_conflicts, n_changes;
	struct aisbx_error after; /* what failed after the target was changed */
};

void box_promotion_finish(struct box_promotion *p);
/* Something that REQ does not allow prevents it. */
bool box_promotion_is_stopped(const struct box_promotion *p, const struct box_promote_request *req);

/*
 * B must be locked. Nothing happens, and ret->id is "", for a dry run, and if conflicts, traps or secrets
 * prevent it.
 */
int box_promote(struct box_state *s, const struct store_box *b, const struct box_promote_request *req,
		struct box_promotion *ret, struct aisbx_error *e);

struct box_undo {
	struct store_promotion promotion;
	struct strlist changed; /* paths that changed since */
	bool done;
	struct aisbx_error after; /* what else could not be done; code 0: nothing */
};

void box_undo_finish(struct box_undo *u);
struct box_undo_request {                 /* borrowed */
	const char *id;                   /* which; NULL: the newest */
	const char *box;                  /* then of this box, by id; NULL: of any */
	const char *here;                 /* then of the project that this directory is in */
	enum merge_resolution resolution; /* stop, keep or overwrite */
	bool dry_run;
};

int box_undo(struct box_state *s, const struct box_undo_request *req, struct box_undo *ret,
	     struct aisbx_error *e);

/* As somebody asks for it: at most one of id, box and project. */
struct promote_undo_request {             /* borrowed */
	const char *id;                   /* which; NULL: the newest */
	const char *box;                  /* of this box, by name or id */
	const char *project;              /* of the project that this directory is in; NULL: the caller's */
	enum merge_resolution resolution; /* stop, keep or overwrite */
	bool dry_run;
};

int promote_undo(const struct caller *by, const struct promote_undo_request *req, struct box_undo *ret,
		 struct aisbx_error *e);

/*
 * Completes or undoes a promotion or undo that was interrupted. GIVE_UP: if that is not possible, leaves it
 * incomplete permanently.
 */
int box_recover(struct box_state *s, bool give_up, struct box_recovered *ret, struct aisbx_error *e);

#endif
