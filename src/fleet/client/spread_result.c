/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the branches: compared by the rule of `try`, and the winner brought home. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/client/client.h"
#include "fleet/client/project.h"
#include "fleet/client/spread_part.h"
#include "op/try_apart.h"

bool spread_take_report(struct spread *s, size_t i, const char *why)
{
	struct spread_branch *b = &s->branches[i];
	json_t *said = json_loadb(b->text.data ? b->text.data : "", b->text.len,
				  JSON_ALLOW_NUL | JSON_DISABLE_EOF_CHECK, NULL);
	const json_t *fleet = json_object_get(said, "fleet");
	const char *job = json_string_value(json_object_get(fleet, "job")),
		   *node = json_string_value(json_object_get(fleet, "node")), *state;
	const char *text = json_string_value(json_object_get(json_object_get(said, "error"), "text"));
	json_t *report = op_try_report(s->split, i, said, why != NULL,
				       why    ? why
				       : text ? text
					      : "its job could not be submitted, or was left alone");
	bool passed;

	snprintf(b->job, sizeof(b->job), "%s", job ? job : "");
	snprintf(b->node, sizeof(b->node), "%s", node ? node : "");
	state = json_string_value(json_object_get(report, "state"));
	passed = state && !strcmp(state, "passed");
	json_array_set_new(s->reports, i, report);
	json_decref(said);
	return passed;
}

/* What the job of this branch changed. *RET_BOX: "" if that is nothing. */
static int bring(const struct spread *s, const struct spread_branch *b, char ret_box[FLEET_NAME],
		 struct aisbx_error *e)
{
	scoped(saved_job_finish) struct saved_job job = { 0 };
	char dir[PATH_MAX];
	struct saved *table = NULL;
	int r = client_table_open(&table, dir, sizeof(dir), e);

	if (r == 0)
		r = saved_job_find(table, b->job, &job, e);
	if (r == -ENOENT)
		r = aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
				 "job %s is not in the table of jobs any more", b->job);
	if (r == 0) {
		const struct client_project project = { .fleet = s->q->fleet, .dir = dir, .quiet = true };

		r = client_project_bring(&project, &job.saved.job, &job.saved.record, ret_box, e);
	}
	saved_close(table);
	return r;
}

/* The winner; with --keep all that passed. */
static int bring_home(const struct spread *s, json_t *result, struct aisbx_error *e)
{
	const bool keep = json_is_true(json_object_get(s->split, "keep"));
	json_t *branch;
	size_t i;

	json_array_foreach(json_object_get(result, "branches"), i, branch)
	{
		const size_t n = (size_t)json_integer_value(json_object_get(branch, "n"));
		const char *state = json_string_value(json_object_get(branch, "state"));
		const bool won = state && !strcmp(state, "winner");
		char box[FLEET_NAME] = "";

		if (!n || n > s->n || !(won || (keep && json_is_integer(json_object_get(branch, "rank")))))
			continue;
		if (bring(s, &s->branches[n - 1], box, e) < 0)
			return e->code;
		if (box[0])
			json_object_set_new(branch, "box", json_string(box));
		if (box[0] && won)
			json_object_set_new(result, "box", json_string(box));
	}
	return 0;
}

/* Calls NAME with one argument, as somebody would who types it. */
static int call(const char *name, const char *argument, const char *value, json_t **ret, int *ret_status,
		struct aisbx_error *e)
{
	const struct op *op = op_by_name(name);
	scoped(drop_mem) char *cwd = getcwd(NULL, 0);
	struct op_context ctx = { .by = { .stdin_fd = -1,
					  .out_fds = { -1, -1 },
					  .cwd = cwd,
					  .env = (const char *const *)environ } };
	json_t *arguments = json_pack("{s:s}", argument, value);
	int r = op && cwd && arguments ? op_call(op, &ctx, arguments, ret, e)
				       : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "call %s", name);

	json_decref(arguments);
	*ret_status = ctx.exit_status;
	return r;
}

/* By the ordinary way: through the project's stages if it has some. */
static int promote(const struct spread *s, const char *box, json_t *result, int *ret_status,
		   struct aisbx_error *e)
{
	json_t *project = NULL, *done = NULL;
	bool staged;
	int r = call("project show", "dir", s->q->project, &project, ret_status, e);

	staged = json_is_true(json_object_get(project, "own_stages"));
	json_decref(project);
	if (r == 0)
		r = call(staged ? "pipeline run" : "promote", "box", box, &done, ret_status, e);
	if (r == 0)
		json_object_set_new(result, staged ? "pipeline" : "promotion", done);
	return r < 0 ? aisbx_hint(e, "the winner is in box '%s'", box) : 0;
}

static json_t *jobs_json(const struct spread *s)
{
	json_t *all = json_array();

	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "branch", s->branches[i].name, "job",
						     s->branches[i].job, "node", s->branches[i].node));
	return json_pack("{s:o}", "jobs", all);
}

static void show(const struct spread *s, json_t *result)
{
	if (s->q->common.json) {
		json_object_set_new(result, "fleet", jobs_json(s));
		json_dumpf(result, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
		fputc('\n', stdout);
	} else
		cli_render(&op_try, &s->q->common, result);
	fflush(stdout);
}

int spread_conclude(struct spread *s, double wall_ms, struct aisbx_error *e)
{
	int r, status = 0;
	json_t *result = op_try_join(s->split, s->reports, s->first, s->signal, wall_ms, &status);
	const char *box;

	if (!result)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "compare the branches");
	r = bring_home(s, result, e);
	box = json_string_value(json_object_get(result, "box"));
	if (r == 0 && box && s->q->promote && !s->signal)
		r = promote(s, box, result, &status, e);
	if (r == 0)
		show(s, result);
	json_decref(result);
	return r < 0 ? r : status;
}
