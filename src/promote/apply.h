/* SPDX-License-Identifier: Apache-2.0 */
/* Promotions as callers request them: of a named box, with paths as people write them. */
#ifndef PROMOTE_APPLY_H
#define PROMOTE_APPLY_H

#include "box/caller.h"
#include "box/drift.h"
#include "box/lifecycle.h"
#include "box/system.h"
#include "promote/promote.h"

struct promote_request {
	const char *box;                     /* BOX[@SNAPSHOT] */
	const struct strlist *paths;         /* NULL or none: everything; else only these */
	const char *to;                      /* NULL: the project */
	const char *artifact;                /* NULL, or the one path to promote, changed or not */
	const struct strlist *allow_secrets; /* NULL, or names of secrets that are allowed */
	struct drift_options drift;
	enum merge_resolution resolution;
	bool review;                               /* list what a person can accept; implies a dry run */
	const struct promote_selection *selection; /* NULL, or what a person accepted of that list */
	bool dry_run;
	bool yes;     /* traps are known */
	bool ignored; /* include files that git ignores */
	bool system;  /* the system instead of the project; paths are absolute then */
	bool refs;    /* include branches and tags of its repositories that it does not have checked out */
	/*
	 * NULL, or for diverged branches: forks BOX (of PROJECT, not locked), and merges the host's commit ID
	 * there. An error: that failed, and nothing was changed.
	 */
	int (*join)(void *ctx, const char *box, const char *project, const char *id, struct box_scratch *ret,
		    struct aisbx_error *e);
	void *join_ctx;
};

struct promote_report {
	char box[BOX_KEY_MAX + 1]; /* its name for the caller */
	char box_id[STORE_ID_MAX];
	struct box_promotion promotion;
	struct drift_report drift; /* before it: its own changes are not drift */
	bool stopped;              /* something prevents it */
};

/* What BOX[@SNAPSHOT] changed of the system; only for root. */
int promote_system_changes(const char *box, struct box_system *ret, struct aisbx_error *e);

void promote_report_finish(struct promote_report *r);
int promote_apply(const struct caller *by, const struct promote_request *req, struct promote_report *ret,
		  struct aisbx_error *e);

#endif
