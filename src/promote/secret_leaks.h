/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets that a promotion would carry out of a box, in names, contents, links or attributes. */
#ifndef PROMOTE_SECRET_LEAKS_H
#define PROMOTE_SECRET_LEAKS_H

#include "base/encoding.h"
#include "layer/merge.h"
#include "secret/redact.h"
#include "secret/secrets.h"

struct box_secret_leak {
	char *path; /* owned; in the target */
	char name[SECRET_MAX_NAME + 1];
	enum encoding form;
	bool allowed; /* a person allowed this one */
};

struct box_secret_leaks {
	struct box_secret_leak *list; /* owned; each secret once per path */
	size_t n, n_stopping;         /* those that are not allowed */
};

void box_secret_leaks_finish(struct box_secret_leaks *s);
/* What is searched for. */
struct box_secret_search {
	const char *dir; /* borrowed, as all of these; the state directory */
	const struct run_secrets
		*project;              /* those in files of the box's project; see box/project_secrets.h */
	bool into_project;             /* and there it goes: each may be in its own file */
	const struct strlist *allowed; /* names, or NULL */
};

/* The time depends on the bytes that PLAN would write. */
int box_secret_leaks_find(const struct box_secret_search *what, struct open_view *box,
			  const struct merge_plan *plan, struct box_secret_leaks *ret, struct aisbx_error *e);
/* Adds what FILE, one of ours, contains, as if it were at PATH in the target. */
int box_secret_leaks_find_in(const struct box_secret_search *what, const char *file, const char *path,
			     struct box_secret_leaks *ret, struct aisbx_error *e);

#endif
