/* SPDX-License-Identifier: Apache-2.0 */
/* What is different about a promotion into the system: who may, what stays, and what is recorded afterwards.
 */
#ifndef PROMOTE_SYSTEM_H
#define PROMOTE_SYSTEM_H

#include "box/box.h"
#include "layer/journal.h"
#include "layer/merge.h"

/* A journal's head.notes: its paths are of the system; see box_system_note. */
#define JOURNAL_NOTES_SYSTEM 2

/* Only root, whose boxes have a system that can be changed. */
int box_system_allowed(const struct store_box *b, struct aisbx_error *e);

/*
 * Takes out of PLAN what stays in the box: passwords, logs, caches, what lies in the project PROJECT (NULL:
 * none) or in our own directory STATE. Adds to STAYS why. Notes of package managers that both sides changed
 * become conflicts that cannot be resolved.
 */
int box_system_leave(struct merge_plan *plan, const char *project, const char *state, struct strlist *stays,
		     struct aisbx_error *e);
/* The first such conflict in PLAN; NULL: none. */
const char *box_system_torn_packages(const struct merge_plan *plan);

/* After it happened: the box's next changes are based on it. */
int box_system_note(struct box_state *s, struct journal *j, struct aisbx_error *e);

#endif
