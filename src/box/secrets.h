/* SPDX-License-Identifier: Apache-2.0 */
/* The secrets of a run: read on the host when it starts, kept in memory, gone with it. */
#ifndef BOX_SECRETS_H
#define BOX_SECRETS_H

#include "aisbx/error.h"
#include "base/str.h"
#include "run/spec.h"

void box_secrets_finish(struct run_secrets *s);
/*
 * Reads what S->specs name; of two with one name the last counts. Paths are relative to CWD, variables are
 * those of ENV. From then on this process leaves no memory behind when it crashes.
 */
int box_secrets_read(struct run_secrets *s, const char *cwd, const char *const *env, struct aisbx_error *e);

/* specs.c: what every run in a box gets. SPECS as they are to be kept: checked, and with absolute paths. */
int box_specs_settle(const struct strlist *specs, const char *cwd, struct strlist *ret,
		     struct aisbx_error *e);
/* In the state directory DIR, for the box ID, which has none yet. */
int box_specs_keep(const char *dir, const char *id, const struct strlist *specs, struct aisbx_error *e);
/* Adds them to RET; none if it has none. */
int box_specs_read(const char *dir, const char *id, struct strlist *ret, struct aisbx_error *e);
void box_specs_drop(const char *dir, const char *id);

#endif
