/* SPDX-License-Identifier: Apache-2.0 */
/* In what two takes of a run differ, as JSON. Inside op/ only. */
#ifndef FLOW_REPLAY_DIFFER_H
#define FLOW_REPLAY_DIFFER_H

#include "flow/replay_take.h"

/*
 * Adds to LIST a {what, kind, example} for each thing that differs, and to NOT_COMPARED (NULL: not wanted) a
 * {what, why} for each that nobody can tell of. DETAIL: NULL, or gets "stdout", "stderr" and "changes".
 */
int takes_differ(struct box_shelf *shelf, const struct take *was, const struct take *is, json_t *list,
		 json_t *not_compared, json_t *detail, struct aisbx_error *e);
void note_not_compared(json_t *list, const char *what, const char *why);

#endif
