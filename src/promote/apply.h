/* SPDX-License-Identifier: Apache-2.0 */
/* Promotions as callers ask for them: of a box that they name, with paths as people write them. */
#ifndef PROMOTE_APPLY_H
#define PROMOTE_APPLY_H

#include "box/caller.h"
#include "box/drift.h"
#include "box/lifecycle.h"
#include "promote/promote.h"

struct promote_request {
	const char *box;                     /* BOX[@SNAPSHOT] */
	const struct strlist *paths;         /* NULL or none: everything; else only these */
	const char *to;                      /* NULL: the project */
	const char *artifact;                /* NULL, or the one path to promote, changed or not */
	const struct strlist *allow_secrets; /* NULL, or names of secrets that may go in */
	struct drift_wish drift;
	enum merge_resolution resolution;
	bool dry_run;
	bool yes;     /* traps are known */
	bool ignored; /* what git ignores, too */
	bool refs;    /* branches and tags of its repositories that it is not on, too */
	/*
	 * NULL, or where both sides have commits of their own: forks BOX (of PROJECT, not locked), and there
	 * joins them with the host's commit ID. An error: it could not be, and nothing was changed.
	 */
	int (*join)(void *ctx, const char *box, const char *project, const char *id, struct box_scratch *ret,
		    struct aisbx_error *e);
	void *join_ctx;
};

struct promote_report {
	char box[BOX_KEY_MAX + 1]; /* what the caller calls it */
	char box_id[STORE_ID_MAX];
	struct box_promotion promotion;
	struct drift_report drift; /* before it: what it does itself is no news */
	bool stopped;              /* something stands against it */
};

void promote_report_finish(struct promote_report *r);
int promote_apply(const struct caller *by, const struct promote_request *req, struct promote_report *ret,
		  struct aisbx_error *e);

#endif
