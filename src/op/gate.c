/* SPDX-License-Identifier: Apache-2.0 */
/* Judging a candidate by its checks: first everything is run that any of them asks for, then each is judged.
 */
#include "op/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "op/gate_inside.h"
#include "op/point.h"
#include "op/rego.h"

void gate_finish(struct gate *g, size_t n_checks)
{
	struct gate_look *looks[] = { &g->diff, &g->promotion, &g->drift, &g->scan, &g->runs };

	for (size_t i = 0; g->commands && i < n_checks; i++)
		json_decref(g->commands[i]);
	for (int i = 0; i < INTENT_COUNT; i++)
		json_decref(g->intents[i].said);
	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
		json_decref(looks[i]->said);
	json_decref(g->counted);
	strlist_finish(&g->paths);
	free(g->commands);
	free(g->dir);
	free(g->point);
	free(g->box_name);
	free(g->box_project);
	free(g->snapshot);
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "judge by gates");
}

/* Which box is meant, by its id: names move. */
static int find_box(struct gate *g, struct aisbx_error *e)
{
	scoped(point_finish) struct point at = POINT_INIT;
	int r = point_open(g->subject->box, false, &at, e);

	if (r == 0 && !at.box.project)
		r = aisbx_refuse(e, AISBX_AREA_BOX, EINVAL, "box '%s' has no project to judge", at.box.name);
	if (r < 0)
		return r;
	snprintf(g->box, sizeof(g->box), "%s", at.box.id);
	g->box_name = strdup(at.box.name);
	g->box_project = strdup(at.box.project);
	if (asprintf(&g->point, at.snapshot[0] ? "%s@%s" : "%s%s", at.box.id, at.snapshot) < 0)
		g->point = NULL;
	return g->box_name && g->box_project && g->point ? 0 : no_memory(e);
}

static int open_gate(struct gate *g, struct op_context *ctx, size_t n_checks, struct aisbx_error *e)
{
	int r = 0;

	g->ctx = *ctx;
	g->ctx.stdin_fd = g->ctx.out_fds[0] = g->ctx.out_fds[1] = -1;
	g->ctx.emit = NULL;
	g->ctx.keep_output = true; /* what the tests said is what somebody wants to read who did not pass */
	g->counted = json_object();
	g->commands = calloc(n_checks + 1, sizeof(*g->commands));
	g->score.text = "no command said one";
	g->score.known = g->subject->tested && gate_run_passed(g->subject->tested) &&
			 gate_run_score(g->subject->tested, &g->score.number);
	if (g->subject->tested && g->subject->tested_by_intent) {
		g->intents[INTENT_TEST].asked = true;
		g->intents[INTENT_TEST].said = json_incref((json_t *)g->subject->tested);
	}
	if (g->subject->box)
		r = find_box(g, e);
	if (r < 0)
		return r;
	g->dir = g->subject->dir || g->box_project
			 ? strdup(g->subject->dir ? g->subject->dir : g->box_project)
			 : NULL;
	return g->dir && g->counted && g->commands ? 0 : no_memory(e);
}

/* A policy may ask for anything that is known without running something. */
static void note_needs(struct gate *g, const struct project_check *c)
{
	for (size_t i = 0; i < GATE_MAX_FACTS && expr_facts[i].name; i++) {
		bool asks = c->expr && expr_uses(c->expr, expr_facts[i].name);
		bool of_run = expr_facts[i].type == EXPR_RESULT ||
			      !strncmp(expr_facts[i].name, "tests.", 6) ||
			      !strcmp(expr_facts[i].name, "score");

		g->needed[i] = g->needed[i] || asks || (c->kind == CHECK_REGO && !of_run);
	}
}

static bool same_words(const struct strlist *a, const struct strlist *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return a->n == b->n;
}

static void count_run(struct gate *g, const json_t *run)
{
	if (!run)
		return;
	json_object_set(g->counted, json_string_value(json_object_get(run, "run")), (json_t *)run);
	g->cpu_ms += json_number_value(json_object_get(json_object_get(run, "usage"), "cpu_ms"));
}

static int run_command(struct gate *g, const struct project_checks *checks, size_t i, struct aisbx_error *e)
{
	const struct project_check *c = &checks->items[i];
	int r;

	for (size_t j = 0; j < i; j++)
		if (checks->items[j].kind == CHECK_COMMAND && checks->items[j].timeout_ms == c->timeout_ms &&
		    checks->items[j].box_judges == c->box_judges &&
		    same_words(&checks->items[j].argv, &c->argv) &&
		    !strcmp(checks->items[j].dir ? checks->items[j].dir : "", c->dir ? c->dir : "")) {
			g->commands[i] = json_incref(g->commands[j]);
			return 0;
		}
	r = gate_run_command(g, c, &g->commands[i], e);
	count_run(g, r == 0 ? g->commands[i] : NULL);
	if (r == 0 && gate_run_passed(g->commands[i]) && gate_run_score(g->commands[i], &g->score.number))
		g->score.known = true;
	return r;
}

/* Whatever check I wants to have been run. */
static int run_for(struct gate *g, const struct project_checks *checks, size_t i, struct aisbx_error *e)
{
	const struct project_check *c = &checks->items[i];
	int r = c->kind == CHECK_COMMAND ? run_command(g, checks, i, e) : 0;
	bool asked;

	for (int n = 0; r == 0 && n < INTENT_COUNT; n++) {
		if (!(c->kind == CHECK_INTENT && c->intent == (enum intent)n) &&
		    !(intent_facts[n] && c->expr && expr_uses(c->expr, intent_facts[n])))
			continue;
		asked = g->intents[n].asked;
		r = gate_run_intent(g, (enum intent)n, e);
		count_run(g, r == 0 && !asked ? g->intents[n].said : NULL);
	}
	return r;
}

struct ruling {
	bool passed;
	char *why; /* owned */
	const json_t *run;
	struct expr_value score;
};

static void ruling_finish(struct ruling *r)
{
	free(r->why);
}

static int judge_intent(struct gate *g, const struct project_check *c, struct ruling *ret)
{
	const struct gate_look *l = &g->intents[c->intent];

	ret->run = l->said;
	ret->passed = gate_run_passed(l->said);
	ret->why = l->said ? gate_run_words(l->said) : strdup(l->e.text);
	return 0;
}

static int judge_expr(struct gate *g, const struct expr *x, struct ruling *ret, struct aisbx_error *e)
{
	struct expr_verdict v = { 0 };
	int r = expr_judge(x, gate_fact, g, &v, e);

	ret->passed = v.holds;
	ret->why = v.why;
	return r;
}

/* Its own score, whatever others said. */
static int judge_command(struct gate *g, const struct project_check *c, const json_t *run, struct ruling *ret,
			 struct aisbx_error *e)
{
	struct expr_value others = g->score;
	int r = 0;

	ret->run = run;
	ret->score.text = "the command printed no line that is {\"score\": NUMBER}";
	ret->passed = gate_run_passed(run);
	ret->score.known = ret->passed && gate_run_score(run, &ret->score.number);
	if (ret->passed && c->expr) {
		g->score = ret->score;
		r = judge_expr(g, c->expr, ret, e);
		g->score = others;
	} else {
		ret->why = gate_run_words(run);
	}
	return r;
}

static int judge_rego(struct gate *g, const struct project_check *c, struct ruling *ret,
		      struct aisbx_error *e)
{
	json_t *facts = gate_facts_json(g);
	int r = op_rego_judge_file(&g->ctx, c->dir ? c->dir : g->dir, c->rego, c->query, facts, &ret->passed,
				   &ret->why, e);

	json_decref(facts);
	return r;
}

static int judge(struct gate *g, const struct project_check *c, const json_t *command, struct ruling *ret,
		 struct aisbx_error *e)
{
	int r = 0;

	switch (c->kind) {
	case CHECK_INTENT:
		r = judge_intent(g, c, ret);
		break;
	case CHECK_EXPR:
		r = judge_expr(g, c->expr, ret, e);
		break;
	case CHECK_COMMAND:
		r = judge_command(g, c, command, ret, e);
		break;
	case CHECK_REGO:
		r = judge_rego(g, c, ret, e);
		break;
	}
	return r == 0 && !ret->why ? no_memory(e) : r;
}

static json_t *ruling_json(const struct project_check *c, const struct ruling *r)
{
	static const char *const kinds[] = { [CHECK_INTENT] = "intent",
					     [CHECK_EXPR] = "expression",
					     [CHECK_COMMAND] = "command",
					     [CHECK_REGO] = "rego" };
	const json_t *run = json_object_get(r->run, "run"), *judges = json_object_get(r->run, "judges");
	json_t *why = json_string(r->why);

	return json_pack("{s:s, s:s, s:s?, s:b, s:o, s:o, s:o, s:o}", "check", c->text, "kind",
			 kinds[c->kind], "gate", c->gate, "passed", r->passed, "why",
			 why ? why : json_string("?"), "run", run ? json_incref((json_t *)run) : json_null(),
			 "score", r->score.known ? json_real(r->score.number) : json_null(), "judges",
			 judges ? json_incref((json_t *)judges) : json_array());
}

static int judge_all(struct gate *g, const struct project_checks *checks, json_t **ret, struct aisbx_error *e)
{
	json_t *list = json_array();
	bool passed = true;
	int r = 0;

	for (size_t i = 0; r == 0 && i < checks->n; i++) {
		scoped(ruling_finish) struct ruling ruling = { 0 };

		r = judge(g, &checks->items[i], g->commands[i], &ruling, e);
		if (r == 0) {
			passed = passed && ruling.passed;
			json_array_append_new(list, ruling_json(&checks->items[i], &ruling));
		}
	}
	if (r == 0 && json_array_size(list) == checks->n)
		*ret = json_pack("{s:b, s:s?, s:s?, s:O, s:o, s:f}", "passed", passed, "box", g->box_name,
				 "snapshot", g->snapshot, "checks", list, "facts", gate_facts_json(g),
				 "cpu_ms", g->cpu_ms);
	json_decref(list);
	if (r == 0 && *ret && g->subject->drift && gate_drift(g))
		json_object_set(*ret, "drift", (json_t *)gate_drift(g));
	return r < 0 ? r : *ret ? 0 : no_memory(e);
}

/* Into SAID: what the candidate is worth, beside whether it passes. */
static int tell_score(struct gate *g, json_t *said, struct aisbx_error *e)
{
	bool known = false;
	double value = 0;
	int r = expr_score(g->subject->score, gate_fact, g, &value, &known, e);

	if (r == 0)
		json_object_set_new(said, "score", known ? json_real(value) : json_null());
	return r;
}

int op_gate_judge(struct op_context *ctx, const struct project *p, const struct project_checks *checks,
		  const struct gate_subject *subject, json_t **ret, struct aisbx_error *e)
{
	struct project_check score = { .kind = CHECK_EXPR, .expr = (struct expr *)subject->score };
	const struct project_checks of_score = { &score, 1 };
	struct gate g = { .p = p, .subject = subject };
	json_t *said = NULL;
	int r = open_gate(&g, ctx, checks->n, e);

	for (size_t i = 0; r == 0 && i < checks->n; i++)
		note_needs(&g, &checks->items[i]);
	for (size_t i = 0; r == 0 && i < checks->n; i++)
		r = run_for(&g, checks, i, e);
	if (r == 0 && subject->score) {
		note_needs(&g, &score);
		r = run_for(&g, &of_score, 0, e);
	}
	if (r == 0)
		r = judge_all(&g, checks, &said, e);
	if (r == 0 && subject->score)
		r = tell_score(&g, said, e);
	if (r == 0)
		*ret = said;
	else
		json_decref(said);
	gate_finish(&g, checks->n);
	return r;
}
