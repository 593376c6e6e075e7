/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables that every command in a box gets, kept with it. Values are for its commands only: they are in no
 * list, event or record, and their file is its user's alone.
 */
#ifndef BOX_VARIABLES_H
#define BOX_VARIABLES_H

#include "aisbx/error.h"
#include "base/str.h"

/* Of one box; bytes with names, and their NULs. */
#define BOX_VARIABLES_MOST  256u
#define BOX_VARIABLES_BYTES 65536u

/*
 * GIVEN, NAME=VALUE or NAME (that of ENV, if it has one), into NAME=VALUE, each name once: the last counts.
 * Errors tell names only.
 */
int box_variables_settle(const struct strlist *given, const char *const *env, struct strlist *ret,
			 struct aisbx_error *e);
/* In the state directory DIR, for the box ID: settled ones. */
int box_variables_keep(const char *dir, const char *id, const struct strlist *variables,
		       struct aisbx_error *e);
/* Adds them to RET; none if it has none. */
int box_variables_read(const char *dir, const char *id, struct strlist *ret, struct aisbx_error *e);
/* The same without their values. */
int box_variables_names(const char *dir, const char *id, struct strlist *ret, struct aisbx_error *e);
void box_variables_drop(const char *dir, const char *id);

#endif
