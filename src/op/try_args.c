/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the arguments of an experiment to how its branches are judged. What decides is read from the person's
 * own files, before a box exists.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/owner.h"
#include "op/intents.h"
#include "op/project.h"
#include "op/try.h"
#include "op/value.h"

const char *const try_mode_names[] = { "first", "best", "all", NULL };
const char *const try_prefer_names[] = { "least", "most", NULL };

void try_judge_finish(struct try_judge *j)
{
	json_decref(j->how);
	project_finish(&j->project);
	project_checks_finish(&j->own);
	free(j->all.items);
	expr_free(j->score);
	*j = (struct try_judge){ 0 };
}

bool try_judge_is_first(const struct try_judge *j)
{
	return !strcmp(json_string_value(json_object_get(j->how, "mode")), "first");
}

int try_check_names(const json_t *branches, struct aisbx_error *e)
{
	for (size_t i = 0; i < json_array_size(branches); i++) {
		const char *name = json_string_value(json_object_get(json_array_get(branches, i), "name"));

		if (!name || !*name || strlen(name) > STORE_NAME_MAX)
			return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
					    "the name of a branch must have from 1 to %d bytes",
					    STORE_NAME_MAX);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(name,
				    json_string_value(json_object_get(json_array_get(branches, k), "name"))))
				return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
						    "two branches have the name '%s'; give each its own",
						    name);
	}
	return 0;
}

/*
 * What every run of the experiment is called with: the arguments that `run` has, too, but for what the
 * experiment itself says.
 */
static json_t *run_part(const json_t *args)
{
	static const char *const own[] = { "box", "project",     "command", "detach",
					   "tty", "interactive", "driver" };
	json_t *run = json_object();

	for (const struct op_param *p = op_run.params; p->name; p++) {
		bool ours = !strcmp(p->name, "profile") &&
			    !json_object_get(args, "box"); /* then its box is made with it */

		for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
			ours = ours || !strcmp(p->name, own[i]);
		if (!ours && json_object_get(args, p->name))
			json_object_set(run, p->name, json_object_get(args, p->name));
	}
	return run;
}

/* The directory of the host whose files decide; heap. */
static int find_project(const struct op_context *ctx, const json_t *args, char **ret, struct aisbx_error *e)
{
	const char *key = json_string_value(json_object_get(args, "box")),
		   *given = json_string_value(json_object_get(args, "project"));
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	char name[BOX_KEY_MAX + 1], snapshot[STORE_NAME_MAX + 1];
	int r = 0;

	if (key && given)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "a box has its project since it was created; leave --project out");
	if (key)
		r = box_parse_point(key, name, snapshot, e);
	if (r == 0 && key)
		r = box_shelf_open(&shelf, e);
	if (r == 0 && key)
		r = box_find(&shelf, name, &box, e);
	if (r == 0 && key && !box.project)
		r = aisbx_refuse(e, AISBX_AREA_BOX, EINVAL, "box '%s' has no project", box.name);
	if (r < 0)
		return r;
	*ret = path_resolve(ctx->cwd, key ? box.project : given ? given : ".");
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find the project");
}

static int intent_test(const struct op_context *ctx, const char *project, const struct project *says,
		       json_t **ret, struct aisbx_error *e)
{
	scoped(intent_list_finish) struct intent_list found = { 0 };
	scoped(strlist_finish) struct strlist command = { 0 }, none = { 0 };
	scoped(drop_mem) char *cwd = NULL;
	json_t *args = json_pack("{s:s}", "project", project), *env;
	const struct intent_way *w;
	int r = op_intents_find_by(ctx, args, says, &found, NULL, e);

	json_decref(args);
	if (r < 0)
		return r;
	w = intent_best(&found, INTENT_TEST);
	if (!w) {
		aisbx_refuse(e, AISBX_AREA_USAGE, ENOENT,
			     "the project has no way to test that aisbx knows, so nothing would tell "
			     "which branch is right");
		return aisbx_hint(
			e, "say one by --test COMMAND, or in its aisbx.yaml: 'intents: {test: COMMAND}'");
	}
	r = intent_command(w, &none, &command, e);
	if (r < 0)
		return r;
	env = op_words_json(&w->env);
	*ret = json_pack("{s:o, s:o, s:i, s:b, s:b}", "command", op_words_json(&command), "env", env,
			 "runner", (int)w->runner, "intent", true, "box-judges", w->box_judges);
	cwd = op_project_cwd(project, w->dir, w->cwd);
	if (cwd && (w->cwd || w->dir))
		json_object_set_new(*ret, "cwd", op_text_json(cwd));
	if (w->timeout_ms)
		json_object_set_new(*ret, "timeout", json_real((double)w->timeout_ms / 1000));
	return 0;
}

/* Where ARGS say nothing: VALUE, which is taken. */
static void set_default(json_t *args, const char *key, json_t *value)
{
	if (json_object_get(args, key))
		json_decref(value);
	else
		json_object_set_new(args, key, value);
}

static void set_time(json_t *args, const char *key, uint64_t ms)
{
	if (ms)
		set_default(args, key, json_real((double)ms / 1000));
}

static void set_number(json_t *args, const char *key, uint64_t n)
{
	if (n)
		set_default(args, key, json_integer((json_int_t)n));
}

static json_t *branches_json(const struct project_experiment *x)
{
	json_t *list = json_array();

	for (size_t i = 0; i < x->n_branches; i++) {
		const struct strlist *argv = &x->branches[i].argv;
		bool shell = argv->n == 3 && !strcmp(argv->items[0], "sh") && !strcmp(argv->items[1], "-c");
		scoped(buf_finish) struct buf text = { 0 };

		for (size_t k = shell ? 2 : 0; k < argv->n; k++)
			buf_addf(&text, "%s%s", text.len ? " " : "", argv->items[k]);
		json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", x->branches[i].name,
						      "command", buf_str(&text) ? text.data : "", "argv",
						      op_words_json(argv)));
	}
	return list;
}

int try_args_complete(const struct op_context *ctx, const json_t *args, json_t **ret, struct aisbx_error *e)
{
	const char *name = json_string_value(json_object_get(args, "experiment"));
	scoped(project_finish) struct project project = { 0 };
	scoped(drop_mem) char *dir = NULL;
	const struct project_experiment *x;
	int r = name ? find_project(ctx, args, &dir, e) : 0;

	if (r == 0 && name)
		r = op_project_load(dir, &project, e);
	if (r < 0)
		return r;
	x = name ? project_experiment_by_name(&project, name) : NULL;
	if (name && !x)
		return aisbx_refuse(
			e, AISBX_AREA_USAGE, ENOENT,
			"the project's aisbx.yaml has no experiment '%.60s'; 'aisbx project show' lists them",
			name);
	*ret = json_copy((json_t *)args);
	if (!x)
		return 0;
	if (x->test.n && !json_object_get(args, "test"))
		json_object_set_new(*ret, "test-words", op_words_json(&x->test));
	if (!json_object_get(args, "branches") && !json_object_get(args, "command"))
		json_object_set_new(*ret, "ready-branches", branches_json(x));
	set_default(*ret, "mode", json_string(try_mode_names[x->mode]));
	if (x->score_text)
		set_default(*ret, "score", json_string(x->score_text));
	if (x->most)
		set_default(*ret, "prefer", json_string("most"));
	set_number(*ret, "repeat", x->repeat);
	set_number(*ret, "budget-runs", x->budget_runs);
	set_number(*ret, "parallel", x->parallel);
	set_time(*ret, "budget-time", x->budget_ms);
	set_time(*ret, "budget-cpu", x->budget_cpu_ms);
	return 0;
}

static int read_repeat(const json_t *args, json_t *how, struct aisbx_error *e)
{
	uint64_t n = 1;

	op_value_number(json_object_get(args, "repeat"), &n);
	if (n < 1 || n > TRY_MAX_REPEAT)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "repeat must be 1 to %u", TRY_MAX_REPEAT);
	json_object_set_new(how, "repeat", json_integer((json_int_t)n));
	return 0;
}

/* What of HOW is more than words: the project's file, gates and score. */
static int prepare(struct try_judge *j, struct aisbx_error *e)
{
	const char *name = json_string_value(json_object_get(j->how, "experiment")),
		   *score = json_string_value(json_object_get(j->how, "score"));
	const struct project_experiment *x;
	const json_t *gate;
	size_t i, n;
	int r = op_project_load(json_string_value(json_object_get(j->how, "project")), &j->project, e);

	if (r == 0 && score)
		r = expr_parse(score, true, &j->score, e);
	json_array_foreach(json_object_get(j->how, "gates"), i, gate) r =
		r < 0 ? r : project_check_add(&j->project, json_string_value(gate), &j->own, e);
	if (r < 0)
		return r;
	x = name ? project_experiment_by_name(&j->project, name) : NULL;
	n = x ? x->gates.n : 0;
	j->all.items = calloc(j->own.n + n + 1, sizeof(*j->all.items));
	if (!j->all.items)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the gates");
	for (i = 0; i < n; i++)
		j->all.items[j->all.n++] = x->gates.items[i];
	for (i = 0; i < j->own.n; i++)
		j->all.items[j->all.n++] = j->own.items[i];
	return 0;
}

/* Nothing is run for the sake of running: with gates alone they decide. */
static int read_test(const struct op_context *ctx, const json_t *args, const char *project,
		     const struct try_judge *j, json_t **ret, struct aisbx_error *e)
{
	const char *text = json_string_value(json_object_get(args, "test"));
	const json_t *words = json_object_get(args, "test-words");
	struct aisbx_error none = AISBX_ERROR_INIT;
	bool has_gates = j->all.n > 0;
	int r;

	*ret = NULL;
	if (text)
		*ret = json_pack("{s:[s, s, s], s:i}", "command", "sh", "-c", text, "runner",
				 (int)RUNNER_ANY);
	else if (words)
		*ret = json_pack("{s:O, s:i}", "command", words, "runner", (int)RUNNER_ANY);
	if (*ret)
		return 0;
	r = intent_test(ctx, project, &j->project, ret, has_gates ? &none : e);
	if (r < 0 && has_gates && none.code == -ENOENT)
		return 0;
	if (r < 0 && has_gates)
		*e = none;
	return r;
}

int try_judge_read(const struct op_context *ctx, const json_t *args, struct try_judge *ret,
		   struct aisbx_error *e)
{
	const char *mode = json_string_value(json_object_get(args, "mode")),
		   *prefer = json_string_value(json_object_get(args, "prefer"));
	scoped(drop_mem) char *project = NULL;
	json_t *test = NULL;
	int r = find_project(ctx, args, &project, e);

	if (r < 0)
		return r;
	ret->how =
		json_pack("{s:s, s:s, s:o, s:b, s:O?, s:O?, s:O?}", "project", project, "mode",
			  mode ? mode : "best", "run", run_part(args), "most",
			  prefer && !strcmp(prefer, "most"), "gates", json_object_get(args, "gate"), "score",
			  json_object_get(args, "score"), "experiment", json_object_get(args, "experiment"));
	if (!ret->how)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EILSEQ, "the path of the project is not UTF-8");
	if (prefer && !json_object_get(args, "score") && !strcmp(prefer, "most"))
		return aisbx_refuse(
			e, AISBX_AREA_USAGE, EINVAL,
			"--prefer most is for a --score; of the time of a test the least is best");
	r = read_repeat(args, ret->how, e);
	if (r == 0)
		r = prepare(ret, e);
	if (r == 0)
		r = read_test(ctx, args, project, ret, &test, e);
	json_object_set_new(ret->how, "test", test ? test : json_null());
	return r;
}

int try_judge_load(const char *how, struct try_judge *ret, struct aisbx_error *e)
{
	ret->how = json_loads(how, 0, NULL);
	return ret->how ? prepare(ret, e)
			: aisbx_refuse(e, AISBX_AREA_STORE, EPROTO,
				       "how the experiment is judged cannot be read any more");
}
