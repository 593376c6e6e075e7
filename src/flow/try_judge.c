/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the request of an experiment to how its branches are judged. What decides is read from the person's
 * own files, before a box exists.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/intents.h"
#include "box/owner.h"
#include "box/here.h"
#include "box/project.h"
#include "flow/try.h"

void try_judge_finish(struct try_judge *j)
{
	free(j->dir);
	free(j->experiment);
	strlist_finish(&j->gates);
	free(j->score_text);
	strlist_finish(&j->test.command);
	strlist_finish(&j->test.env);
	free(j->test.cwd);
	if (j->kept)
		run_options_finish(&j->run);
	json_decref(j->kept);
	project_finish(&j->project);
	project_checks_finish(&j->own);
	free(j->all.items);
	expr_free(j->score);
	*j = (struct try_judge){ 0 };
}

/* NAMED: an experiment of the file is meant. */
static int load_project(struct try_judge *j, bool named, struct aisbx_error *e)
{
	const unsigned int needs =
		PROJECT_GATES | PROJECT_INTENTS | PROJECT_JUDGES | (named ? PROJECT_EXPERIMENTS : 0);
	int r = box_project_load(j->dir, needs, &j->project, e);

	return r < 0 ? aisbx_hint(e, "'aisbx project check' reports all problems") : 0;
}

/* The directory of the host whose files decide; heap. */
static int find_project(const struct caller *by, const struct try_request *req, char **ret,
			struct aisbx_error *e)
{
	const char *key = req->box, *given = req->project;
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	char name[BOX_KEY_MAX + 1], snapshot[STORE_NAME_MAX + 1];
	int r = 0;

	if (key && given)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the project of a box is set when it is made; omit --project");
	if (key)
		r = box_parse_point(key, name, snapshot, e);
	if (r == 0 && key)
		r = box_state_open(&state, e);
	if (r == 0 && key)
		r = box_find(&state, name, &box, e);
	if (r == 0 && key && !box.project)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "box '%s' has no project",
				 box.name);
	if (r < 0)
		return r;
	*ret = path_resolve(by->cwd, key ? box.project : given ? given : caller_project(by));
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find the project");
}

static bool copy_words(struct strlist *to, const struct strlist *from)
{
	for (size_t i = 0; i < from->n; i++)
		strlist_add(to, from->items[i]);
	return !to->failed;
}

static int intent_test(const struct try_judge *j, struct try_test *ret, struct aisbx_error *e)
{
	scoped(intent_list_finish) struct intent_list found = { 0 };
	scoped(strlist_finish) struct strlist none = { 0 };
	const struct intent_way *w;
	int r = box_intents(NULL, NULL, j->dir, "", &j->project, &found, e);

	if (r < 0)
		return r;
	w = intent_best(&found, INTENT_TEST);
	if (!w) {
		aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
			     "aisbx knows no command to test this project, so branches cannot be judged");
		return aisbx_hint(
			e, "give one with --test COMMAND, or in its aisbx.yaml: 'intents: {test: COMMAND}'");
	}
	r = intent_command(w, &none, &ret->command, e);
	if (r < 0)
		return r;
	if (w->cwd || w->dir)
		ret->cwd = box_project_cwd(j->dir, w->dir, w->cwd);
	if (!copy_words(&ret->env, &w->env) || ((w->cwd || w->dir) && !ret->cwd))
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find out how the project is tested");
	ret->runner = w->runner;
	ret->by_intent = true;
	ret->box_judges = w->box_judges;
	ret->timeout_ms = w->timeout_ms;
	return 0;
}

/* What is more than words: gates and score. */
static int prepare(struct try_judge *j, const struct project_experiment *x, struct aisbx_error *e)
{
	const size_t n = x ? x->gates.n : 0;
	int r = j->score_text ? expr_parse(j->score_text, true, &j->score, e) : 0;

	for (size_t i = 0; r == 0 && i < j->gates.n; i++)
		r = project_check_add(&j->project, j->gates.items[i], &j->own, e);
	if (r < 0)
		return r;
	j->all.items = calloc(j->own.n + n + 1, sizeof(*j->all.items));
	if (!j->all.items)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the gates");
	for (size_t i = 0; i < n; i++)
		j->all.items[j->all.n++] = x->gates.items[i];
	for (size_t i = 0; i < j->own.n; i++)
		j->all.items[j->all.n++] = j->own.items[i];
	return 0;
}

/* Nothing is run for the sake of running: with gates alone they decide. */
static int read_test(const struct try_request *req, const struct project_experiment *x, struct try_judge *j,
		     struct aisbx_error *e)
{
	struct aisbx_error none = AISBX_ERROR_INIT;
	const bool has_gates = j->all.n > 0;
	int r;

	j->test.runner = RUNNER_ANY;
	if (req->test) {
		strlist_add(&j->test.command, "sh");
		strlist_add(&j->test.command, "-c");
		strlist_add(&j->test.command, req->test);
	} else if (x) {
		copy_words(&j->test.command, &x->test);
	}
	if (j->test.command.failed)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the test");
	if (j->test.command.n)
		return 0;
	r = intent_test(j, &j->test, has_gates ? &none : e);
	if (r < 0 && has_gates && none.code == -ENOENT)
		return 0;
	if (r < 0 && has_gates)
		*e = none;
	return r;
}

/* A test that a person typed runs where the person is. */
static int place_test(const struct caller *by, const struct try_request *req, struct try_judge *j,
		      struct aisbx_error *e)
{
	const char *here = req->project ? NULL : box_here_cwd(by, j->dir);

	if (here && strcmp(here, j->dir) != 0 && !(j->test.cwd = strdup(here)))
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the test");
	return 0;
}

static uint64_t said(uint64_t given, uint64_t of_file, uint64_t otherwise)
{
	return given != TRY_UNSAID ? given : of_file ? of_file : otherwise;
}

/* What REQ says, and where it says nothing X of the file. */
static int complete(const struct try_request *req, const struct project_experiment *x, struct try_judge *j,
		    struct aisbx_error *e)
{
	const char *score = req->score ? req->score : x ? x->score_text : NULL;

	j->mode = req->mode != MODE_COUNT ? req->mode : x ? x->mode : MODE_BEST;
	j->most = req->says_prefer ? req->most : x && x->most;
	j->repeat = said(req->repeat, x ? x->repeat : 0, 1);
	j->budget_ms = said(req->budget_ms, x ? x->budget_ms : 0, 0);
	j->budget_cpu_ms = said(req->budget_cpu_ms, x ? x->budget_cpu_ms : 0, 0);
	j->budget_runs = said(req->budget_runs, x ? x->budget_runs : 0, 0);
	j->parallel = said(req->parallel, x ? x->parallel : 0, 0);
	j->score_text = score ? strdup(score) : NULL;
	j->experiment = x ? strdup(x->name) : NULL;
	j->run = *req->run;
	if (!copy_words(&j->gates, &req->gates) || (score && !j->score_text) || (x && !j->experiment))
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read how branches are judged");
	if (j->most && !score)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"--prefer most needs a --score; for the time of a test the lowest is best");
	if (j->repeat < 1 || j->repeat > TRY_MAX_REPEAT)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "repeat must be 1 to %u",
				    TRY_MAX_REPEAT);
	return 0;
}

/* A path that is none can be kept nowhere. */
static int check_text(const char *path, struct aisbx_error *e)
{
	json_t *text = json_string(path);
	const bool fine = text != NULL;

	json_decref(text);
	return fine ? 0
		    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				   "the path of the project is not UTF-8");
}

int try_judge_read(const struct caller *by, const struct try_request *req, bool open, struct try_judge *ret,
		   struct try_approaches *ret_approaches, struct aisbx_error *e)
{
	const struct project_experiment *x = NULL;
	int r = find_project(by, req, &ret->dir, e);

	if (r == 0)
		r = load_project(ret, req->experiment, e);
	if (r == 0 && req->experiment) {
		x = project_experiment_by_name(&ret->project, req->experiment);
		if (!x)
			return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
					    "the project's aisbx.yaml has no experiment '%.60s'; 'aisbx "
					    "project show' lists them",
					    req->experiment);
	}
	if (r == 0)
		r = open ? try_approaches_name(req, ret_approaches, e)
			 : try_approaches_read(req, x, ret_approaches, e);
	if (r == 0)
		r = check_text(ret->dir, e);
	if (r == 0)
		r = complete(req, x, ret, e);
	if (r == 0)
		r = prepare(ret, x, e);
	if (r == 0)
		r = read_test(req, x, ret, e);
	return r == 0 && req->test ? place_test(by, req, ret, e) : r;
}

/* ---- kept ---- */

/* What is no UTF-8 is made so. */
static json_t *words_json(const struct strlist *words)
{
	json_t *list = json_array();

	for (size_t i = 0; i < words->n; i++) {
		scoped(buf_finish) struct buf clean = { 0 };

		buf_add_utf8(&clean, words->items[i], strlen(words->items[i]));
		json_array_append_new(list, json_string(buf_str(&clean) ? clean.data : ""));
	}
	return list;
}

static json_t *test_json(const struct try_test *t)
{
	json_t *j;

	if (!t->command.n)
		return json_null();
	j = json_pack("{s:o, s:o, s:i, s:b, s:b}", "command", words_json(&t->command), "env",
		      words_json(&t->env), "runner", (int)t->runner, "intent", t->by_intent, "box-judges",
		      t->box_judges);
	if (t->cwd)
		json_object_set_new(j, "cwd", json_string(t->cwd));
	if (t->timeout_ms)
		json_object_set_new(j, "timeout", json_real((double)t->timeout_ms / 1000));
	return j;
}

char *try_judge_text(const struct try_judge *j, bool whole)
{
	json_t *how = json_pack("{s:s, s:s, s:b, s:o, s:s?, s:s?, s:I, s:o}", "project", j->dir, "mode",
				project_mode_names[j->mode], "most", j->most, "gates", words_json(&j->gates),
				"score", j->score_text, "experiment", j->experiment, "repeat",
				(json_int_t)j->repeat, "test", test_json(&j->test));
	char *text;

	if (how && whole)
		json_object_set_new(how, "run", run_options_json(&j->run));
	text = how ? json_dumps(how, JSON_COMPACT) : NULL;
	json_decref(how);
	return text;
}

static char *copy_text(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	return s ? strdup(s) : NULL;
}

static void read_words(const json_t *list, struct strlist *to)
{
	const json_t *word;
	size_t i;

	json_array_foreach(list, i, word) if (json_is_string(word)) strlist_add(to, json_string_value(word));
}

static void load_test(const json_t *t, struct try_test *ret)
{
	read_words(json_object_get(t, "command"), &ret->command);
	read_words(json_object_get(t, "env"), &ret->env);
	ret->cwd = copy_text(t, "cwd");
	ret->timeout_ms = (uint64_t)(json_number_value(json_object_get(t, "timeout")) * 1000 + 0.5);
	ret->runner = (enum intent_runner)json_integer_value(json_object_get(t, "runner"));
	ret->by_intent = json_is_true(json_object_get(t, "intent"));
	ret->box_judges = json_is_true(json_object_get(t, "box-judges"));
}

int try_judge_load(const char *text, struct try_judge *ret, struct aisbx_error *e)
{
	json_t *how = json_loads(text, 0, NULL);
	char *mode = copy_text(how, "mode");

	ret->dir = copy_text(how, "project");
	ret->experiment = copy_text(how, "experiment");
	ret->score_text = copy_text(how, "score");
	for (enum project_mode m = 0; mode && m < MODE_COUNT; m++)
		if (!strcmp(mode, project_mode_names[m]))
			ret->mode = m;
	ret->most = json_is_true(json_object_get(how, "most"));
	ret->repeat = (uint64_t)json_integer_value(json_object_get(how, "repeat"));
	read_words(json_object_get(how, "gates"), &ret->gates);
	load_test(json_object_get(how, "test"), &ret->test);
	ret->kept = json_incref(json_object_get(how, "run"));
	json_decref(how);
	free(mode);
	if (!ret->dir)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_STORE, EPROTO,
				    "the settings of the experiment can no longer be read");
	if (run_options_read(ret->kept, &ret->run, e) < 0 || load_project(ret, ret->experiment, e) < 0)
		return e->code;
	return prepare(ret,
		       ret->experiment ? project_experiment_by_name(&ret->project, ret->experiment) : NULL,
		       e);
}
