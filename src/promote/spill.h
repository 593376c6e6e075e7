/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets that a promotion would carry out of a box, in names, contents, links or attributes. */
#ifndef PROMOTE_SPILL_H
#define PROMOTE_SPILL_H

#include "base/lens.h"
#include "layer/merge.h"
#include "secret/redact.h"

struct box_spill {
	char *path; /* owned; in the target */
	char name[SECRET_MAX_NAME + 1];
	enum lens form;
	bool allowed; /* a person allowed this one */
};

struct box_spills {
	struct box_spill *list; /* owned; each secret once per path */
	size_t n, n_stopping;   /* those that are not allowed */
};

void box_spills_finish(struct box_spills *s);
/* DIR: the state directory; the time depends on the bytes that PLAN would write. ALLOWED: names, or NULL. */
int box_spills_find(const char *dir, struct eye *box, const struct merge_plan *plan,
		    const struct strlist *allowed, struct box_spills *ret, struct aisbx_error *e);
/* Adds what FILE, one of ours, contains, as if it were at PATH in the target. */
int box_spills_find_in(const char *dir, const char *file, const char *path, const struct strlist *allowed,
		       struct box_spills *ret, struct aisbx_error *e);

#endif
