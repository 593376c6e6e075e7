/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out the next step of a plan as a run, and writes down what became of it. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "flow/plan.h"

void plan_step_result_finish(struct jail_plan_step_result *r)
{
	store_plan_finish(&r->plan);
	intent_result_finish(&r->intent);
	run_report_finish(&r->run);
}

static int run_command(const struct caller *by, struct run_options *options, const char *command,
		       struct run_report *ret, struct aisbx_error *e)
{
	strlist_add(&options->command, "sh");
	strlist_add(&options->command, "-c");
	strlist_add(&options->command, command);
	options->replayable = options->warn_group = true;
	return options->command.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "prepare the run")
				       : run_execute(by, options, ret, e);
}

static int carry_out(const struct caller *by, const struct jail_plan_step_request *req,
		     const struct store_plan *p, size_t i, struct jail_plan_step_result *ret,
		     struct aisbx_error *e)
{
	const char *box = req->box ? req->box : p->box[0] ? p->box : NULL, *what = p->steps[i].what;
	const enum intent intent = intent_by_name(what);
	scoped(run_options_finish) struct run_options options = { .box = box,
								  .project = box ? NULL : p->project };

	if (req->has_timeout)
		run_options_limit(&options, LIMIT_WALL_TIME, req->timeout_ms);
	ret->is_intent = intent != INTENT_COUNT;
	return ret->is_intent ? intent_run(by, intent, &options, NULL, &ret->intent, e)
			      : run_command(by, &options, what, &ret->run, e);
}

const struct run_report *plan_step_report(const struct jail_plan_step_result *r)
{
	return r->is_intent ? &r->intent.report : &r->run;
}

int plan_step(const struct caller *by, const struct jail_plan_step_request *req,
	      struct jail_plan_step_result *ret, struct aisbx_error *e)
{
	const struct plan_claim how = { .again = req->again, .skip = req->skip };
	const int64_t begun_ms = box_now_ms();
	const struct run_report *done = NULL;
	scoped(store_plan_finish) struct store_plan p = { 0 };
	struct aisbx_error lost = AISBX_ERROR_INIT;
	struct plan_outcome outcome;
	size_t i = 0;
	int r = plan_claim(req->plan, &how, &p, &i, e), kept;

	if (r < 0)
		return r;
	if (i == p.n_steps) { /* the last was skipped: nothing is left to do */
		ret->plan = p;
		p = (struct store_plan){ 0 };
		return 0;
	}
	r = carry_out(by, req, &p, i, ret, e);
	done = plan_step_report(ret);
	outcome = (struct plan_outcome){ .run = r < 0 ? NULL : done->run,
					 .note = r < 0 ? e->text : NULL,
					 .ok = r == 0 && !strcmp(done->status, "ok"),
					 .exit_code = r < 0 ? -1 : done->exit_code,
					 .begun_ms = begun_ms };
	kept = plan_settle(&p, i, &outcome, &ret->plan, r < 0 ? &lost : e);
	ret->did = i + 1;
	return r < 0 ? r : kept;
}
