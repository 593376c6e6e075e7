/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of one experiment become those of several, and their results those of one. */
#include "op/try_apart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "op/try.h"

static json_t *shown(const struct strlist *words)
{
	scoped(buf_finish) struct buf text = { 0 };

	for (size_t i = 0; i < words->n; i++)
		buf_addf(&text, "%s%s", i ? " " : "", words->items[i]);
	return json_string(buf_str(&text) ? text.data : "");
}

/* The arguments of all, with this branch alone. */
static json_t *arguments_of(const json_t *all, const struct strlist *words, const json_t *name)
{
	static const char *const ours[] = { "command", "branches", "name", "keep", "mode", "parallel" };
	json_t *arguments = json_deep_copy(all);

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		json_object_del(arguments, ours[i]);
	json_object_set_new(arguments, "name", json_pack("[O]", name));
	if (words->n == 1) /* a text for a shell */
		json_object_set_new(arguments, "branches", json_pack("[s]", words->items[0]));
	else
		json_object_set_new(arguments, "command", value_list_json(words));
	return arguments;
}

static json_t *branch_of(const json_t *all, const struct try_request *req, size_t i)
{
	json_t *name = i < req->names.n ? json_string(req->names.items[i]) : json_sprintf("%zu", i + 1);
	json_t *branch = json_pack("{s:o, s:o, s:o}", "command", shown(&req->commands[i]), "arguments",
				   arguments_of(all, &req->commands[i], name), "name", name);

	return branch;
}

static int check(const struct try_request *req, struct aisbx_error *e)
{
	if (!req->n_commands || req->n_commands > TRY_MAX_BRANCHES)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give 1 to %u approaches, with -- before each", TRY_MAX_BRANCHES);
	if (req->names.n && req->names.n != req->n_commands)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "there are %zu names for %zu branches", req->names.n, req->n_commands);
	if (req->budget_cpu_ms != TRY_UNSAID || req->budget_runs != TRY_UNSAID)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"--budget-cpu and --budget-runs are for all branches together, which nobody "
			"counts over several machines; --budget-time is possible");
	return 0;
}

int op_try_split(const json_t *arguments, json_t **ret, struct aisbx_error *e)
{
	scoped(run_options_finish) struct run_options run = { 0 };
	scoped(op_try_request_finish) struct try_request req;
	int r = op_try_request(arguments, &run, &req, e);
	json_t *list;

	if (r == 0)
		r = check(&req, e);
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < req.n_commands; i++)
		json_array_append_new(list, branch_of(arguments, &req, i));
	*ret = json_pack("{s:s, s:b, s:b, s:I, s:o}", "mode",
			 project_mode_names[req.mode == MODE_COUNT ? MODE_BEST : req.mode], "most", req.most,
			 "keep", req.keep, "parallel",
			 (json_int_t)(req.parallel == TRY_UNSAID ? 0 : req.parallel), "branches", list);
	return *ret && json_array_size(list) == req.n_commands
		       ? 0
		       : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the branches");
}

static void set_text(char **to, const json_t *text)
{
	free(*to);
	*to = strdup(json_string_value(text) ? json_string_value(text) : "");
}

json_t *op_try_report(const json_t *split, size_t i, const json_t *said, bool stopped, const char *why)
{
	const json_t *branch = json_array_get(json_object_get(split, "branches"), i);
	struct try_record record = { 0 };
	json_t *ret;

	if (!try_record_read(json_array_get(json_object_get(said, "branches"), 0), &record)) {
		record = (struct try_record){ .has_tails = true };
		try_record_become(&record, stopped ? TRY_STOPPED : TRY_FAILED, why);
	} else if (record.state == TRY_WINNER) /* of itself alone */
		try_record_become(&record, TRY_PASSED, "");
	record.n = i + 1;
	record.rank = 0;
	record.snapshot[0] = '\0'; /* where it ran, as its box */
	free(record.box);
	record.box = NULL;
	set_text(&record.name, json_object_get(branch, "name"));
	set_text(&record.command, json_object_get(branch, "command"));
	ret = try_record_json(&record);
	try_record_finish(&record);
	return ret;
}

static enum project_mode mode_of(const json_t *split)
{
	const char *said = json_string_value(json_object_get(split, "mode"));

	for (enum project_mode m = 0; said && m < MODE_COUNT; m++)
		if (!strcmp(said, project_mode_names[m]))
			return m;
	return MODE_BEST;
}

static void compare(struct try_result *r, size_t first, bool most)
{
	if (r->mode == MODE_FIRST && first && first <= r->n)
		try_record_become(&r->branches[first - 1], TRY_WINNER, "");
	try_rank(most, r->branches, r->n);
	if (r->mode == MODE_BEST && r->n && try_record_passed(&r->branches[0]))
		try_record_become(&r->branches[0], TRY_WINNER, "");
	r->state = r->signal              ? "interrupted"
		   : try_result_winner(r) ? "won"
		   : r->mode == MODE_ALL  ? "compared"
					  : "none";
}

json_t *op_try_join(const json_t *split, const json_t *reports, size_t first, int signal, double wall_ms,
		    int *ret_status)
{
	scoped(try_result_finish) struct try_result r = { .mode = mode_of(split),
							  .wall_ms = wall_ms,
							  .signal = signal };
	const json_t *report;
	size_t i;

	r.branches = calloc(json_array_size(reports) + 1, sizeof(*r.branches));
	json_array_foreach(reports, i, report)
	{
		if (r.branches && try_record_read(report, &r.branches[r.n]))
			r.n++;
	}
	if (!r.branches || r.n != json_array_size(reports))
		return NULL;
	box_new_id("x-", r.experiment);
	compare(&r, first, json_is_true(json_object_get(split, "most")));
	*ret_status = try_result_status(&r);
	return try_result_json(&r);
}
