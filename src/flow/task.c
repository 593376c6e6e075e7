/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an intent and judges what it made. */
#include "flow/task.h"

#include <stdio.h>

#include "base/scope.h"
#include "box/lifecycle.h"

void task_result_finish(struct task_result *r)
{
	intent_result_finish(&r->done);
	gate_answer_finish(&r->answer);
	*r = (struct task_result){ 0 };
}

static int make_box(const struct caller *by, const struct run_options *run, struct task_result *ret,
		    struct aisbx_error *e)
{
	const char *from;
	/* A profile of the request is for this run: the box is as the person has boxes. */
	const struct box_create_request how = { .project = run->project,
						.profile = run_profile_ref(by, NULL, NULL, &from),
						.secrets = &run->secret,
						.net = &run->net };
	scoped(box_created_finish) struct box_created made = { 0 };
	int r = box_create(by->cwd, &how, &made, e);

	if (r == 0)
		snprintf(ret->box, sizeof(ret->box), "%s", made.box.name);
	return r;
}

int task_run(const struct caller *by, const struct task_request *req, struct task_result *ret,
	     struct aisbx_error *e)
{
	bool judge = req->tests->n || req->gates->n;
	struct run_options run = *req->run; /* borrows from it */
	struct gate_request gate = { .checks = req->gates, .commands = req->tests, .profile = run.profile };
	int r = 0;

	if (judge && !run.box) {
		r = make_box(by, &run, ret, e);
		run.box = ret->box;
		run.project = NULL; /* the box has it */
	}
	if (r == 0)
		r = intent_run(by, req->intent, &run, req->more, &ret->done, e);
	if (r < 0 || !judge || ret->done.report.exit_status != 0)
		return r;
	gate.box = run.box;
	ret->judged = true;
	return gate_check(by, &gate, &ret->answer, e);
}
