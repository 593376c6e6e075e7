/* SPDX-License-Identifier: Apache-2.0 */
/* The promotion that a stage makes, under the id that was written down for it before. */
#include <stdio.h>

#include "base/scope.h"
#include "flow/pipeline.h"

struct caller pipeline_quiet(const struct pipeline *p)
{
	struct caller quiet = *p->callbacks.by;

	quiet.stdin_fd = quiet.out_fds[0] = quiet.out_fds[1] = -1;
	quiet.begun = NULL;
	quiet.keep_output = false;
	return quiet;
}

int pipeline_promote(struct pipeline *p, size_t i, struct box_state *state, const struct store_box *box,
		     struct box_promote_request *req, struct stage_note *note, struct aisbx_error *e)
{
	scoped(box_promotion_finish) struct box_promotion done = { 0 };
	int r;

	req->id = p->row.stages[i].promotion;
	r = box_promote(state, box, req, &done, e);
	if (r < 0)
		return r;
	if (!done.id[0] && req->branch) {
		snprintf(note->why, sizeof(note->why), "nothing was changed: %.400s",
			 done.git.stays.n ? done.git.stays.items[done.git.stays.n - 1]
					  : "the branch is not a descendant of your branch");
		return EVENT_REFUSE;
	}
	if (!done.id[0] && done.git.switched) {
		snprintf(note->why, sizeof(note->why), "nothing was changed: %.400s", done.git.switched);
		return EVENT_REFUSE;
	}
	if (!done.id[0] && done.n_changes) {
		snprintf(note->why, sizeof(note->why),
			 "nothing was changed: %zu conflicts, %zu traps, %zu secrets prevent it",
			 done.n_conflicts, done.n_traps, done.secret_leaks.n_stopping);
		return EVENT_REFUSE;
	}
	return EVENT_DONE;
}
