/* SPDX-License-Identifier: Apache-2.0 */
/* The secrets of a run: read on the host when it starts, kept in memory, gone with it. */
#ifndef BOX_SECRETS_H
#define BOX_SECRETS_H

#include "aisbx/error.h"
#include "base/str.h"
#include "run/redact.h"

struct box_secrets {
	struct run_secret *items; /* owned, with what is in them */
	size_t n;
	struct strlist sources; /* variables that values came from: not passed on as they are */
};

void box_secrets_finish(struct box_secrets *s);
/*
 * Reads what SPECS name, as policy/secret_spec.h has them; of two with one name the last counts. Paths are
 * relative to CWD, variables are those of ENV. From then on this process leaves no memory behind when it
 * crashes.
 */
int box_secrets_read(const struct strlist *specs, const char *cwd, const char *const *env,
		     struct box_secrets *ret, struct aisbx_error *e);

/* specs.c: what every run in a box gets. SPECS as they are to be kept: checked, and with absolute paths. */
int box_specs_settle(const struct strlist *specs, const char *cwd, struct strlist *ret,
		     struct aisbx_error *e);
/* In the state directory DIR, for the box ID, which has none yet. */
int box_specs_keep(const char *dir, const char *id, const struct strlist *specs, struct aisbx_error *e);
/* Adds them to RET; none if it has none. */
int box_specs_read(const char *dir, const char *id, struct strlist *ret, struct aisbx_error *e);
void box_specs_drop(const char *dir, const char *id);

#endif
