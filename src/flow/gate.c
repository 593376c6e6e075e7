/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates the checks of a candidate: first runs everything that they need, then judges each. */
#include "flow/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/lookup.h"
#include "flow/gate_internal.h"
#include "flow/rego.h"
#include "flow/wasm_check.h"

void gate_run_finish(struct gate_run *r)
{
	run_report_finish(&r->report);
	strlist_finish(&r->judges);
	*r = (struct gate_run){ 0 };
}

void gate_finish(struct gate *g, size_t n_checks)
{
	for (size_t i = 0; g->made && i < n_checks; i++)
		gate_run_finish(&g->made[i]);
	for (int i = 0; i < INTENT_COUNT; i++)
		gate_run_finish(&g->intents[i].made);
	run_facts_list_finish(&g->runs);
	strlist_finish(&g->paths);
	strlist_finish(&g->hosts);
	free(g->made);
	free(g->commands);
	free(g->dir);
	free(g->point);
	free(g->box_project);
}

void gate_verdict_finish(struct gate_verdict *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->rulings[i].why);
		strlist_finish(&v->rulings[i].judges);
	}
	free(v->rulings);
	free(v->box);
	free(v->snapshot);
	strlist_finish(&v->paths);
	strlist_finish(&v->hosts);
	drift_report_finish(&v->drift);
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "evaluate the gates");
}

/* Which box is meant, by its id: names move. */
static int find_box(struct gate *g, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup at = LOOKUP_INIT;
	int r = lookup_open(g->subject->box, false, &at, e);

	if (r == 0 && !at.box.project)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				 "box '%s' has no project that gates could check", at.box.name);
	if (r < 0)
		return r;
	snprintf(g->box, sizeof(g->box), "%s", at.box.id);
	g->verdict->box = strdup(at.box.name);
	g->box_project = strdup(at.box.project);
	if (asprintf(&g->point, at.snapshot[0] ? "%s@%s" : "%s%s", at.box.id, at.snapshot) < 0)
		g->point = NULL;
	return g->verdict->box && g->box_project && g->point ? 0 : no_memory(e);
}

static int open_gate(struct gate *g, const struct caller *by, size_t n_checks, struct aisbx_error *e)
{
	const struct gate_run *tested = g->subject->tested;
	const char *dir;
	int r = 0;

	g->by = *by;
	g->by.stdin_fd = g->by.out_fds[0] = g->by.out_fds[1] = -1;
	g->by.keep_output = true; /* what the tests said is what somebody wants to read who did not pass */
	g->made = calloc(n_checks + 1, sizeof(*g->made));
	g->commands = calloc(n_checks + 1, sizeof(*g->commands));
	g->verdict->rulings = calloc(n_checks + 1, sizeof(*g->verdict->rulings));
	g->score.text = "no command reported a score";
	g->score.known = tested && gate_run_passed(tested) && tested->scored;
	if (g->score.known)
		g->score.number = tested->score;
	if (tested && g->subject->tested_by_intent) {
		g->intents[INTENT_TEST].look.asked = true;
		g->intents[INTENT_TEST].run = tested;
	}
	if (g->subject->box)
		r = find_box(g, e);
	if (r < 0)
		return r;
	dir = g->subject->dir ? g->subject->dir : g->box_project;
	g->dir = dir ? strdup(dir) : NULL;
	return g->dir && g->made && g->commands && g->verdict->rulings ? 0 : no_memory(e);
}

/* A policy may ask for anything that is known without running something. */
static void note_needs(struct gate *g, const struct project_check *c)
{
	for (size_t i = 0; i < GATE_MAX_FACTS && expr_facts[i].name; i++) {
		bool asks = c->expr && expr_uses(c->expr, expr_facts[i].name);
		bool of_run = expr_facts[i].type == EXPR_RESULT ||
			      !strncmp(expr_facts[i].name, "tests.", 6) ||
			      !strcmp(expr_facts[i].name, "score");

		g->needed[i] =
			g->needed[i] || asks || ((c->kind == CHECK_REGO || c->kind == CHECK_WASM) && !of_run);
	}
}

static bool same_words(const struct strlist *a, const struct strlist *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return a->n == b->n;
}

static void count_run(struct gate *g, const struct gate_run *run)
{
	scoped(run_facts_finish) struct run_facts facts = run_facts_of(&run->report);

	run_facts_list_add(&g->runs, &facts);
	g->verdict->cpu_ms += run->report.cpu_ms;
}

static int run_command(struct gate *g, const struct project_checks *checks, size_t i, struct aisbx_error *e)
{
	const struct project_check *c = &checks->items[i];
	struct gate_run *run = &g->made[i];
	int r;

	for (size_t j = 0; j < i; j++)
		if (checks->items[j].kind == CHECK_COMMAND && checks->items[j].timeout_ms == c->timeout_ms &&
		    checks->items[j].box_judges == c->box_judges &&
		    same_words(&checks->items[j].argv, &c->argv) &&
		    !strcmp(checks->items[j].dir ? checks->items[j].dir : "", c->dir ? c->dir : "")) {
			g->commands[i] = g->commands[j];
			return 0;
		}
	r = gate_run_command(g, c, run, e);
	if (r < 0)
		return r;
	g->commands[i] = run;
	count_run(g, run);
	if (gate_run_passed(run) && run->scored) {
		g->score.known = true;
		g->score.number = run->score;
	}
	return 0;
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
		asked = g->intents[n].look.asked;
		r = gate_run_intent(g, (enum intent)n, e);
		if (r == 0 && !asked && g->intents[n].run)
			count_run(g, g->intents[n].run);
	}
	return r;
}

/* What was run for it. */
static void note_run(const struct gate_run *run, struct gate_ruling *ret)
{
	snprintf(ret->run, sizeof(ret->run), "%s", run->report.run);
	for (size_t i = 0; i < run->judges.n; i++)
		strlist_add(&ret->judges, run->judges.items[i]);
}

static int judge_intent(struct gate *g, const struct project_check *c, struct gate_ruling *ret)
{
	const struct gate_said *l = &g->intents[c->intent];

	if (l->run)
		note_run(l->run, ret);
	ret->passed = l->run && gate_run_passed(l->run);
	ret->why = l->run ? gate_run_words(l->run) : strdup(l->look.e.text);
	return 0;
}

static int judge_expr(struct gate *g, const struct expr *x, struct gate_ruling *ret, struct aisbx_error *e)
{
	struct expr_verdict v = { 0 };
	int r = expr_judge(x, gate_fact, g, &v, e);

	ret->passed = v.holds;
	ret->why = v.why;
	return r;
}

/* Its own score, whatever others said. */
static int judge_command(struct gate *g, const struct project_check *c, const struct gate_run *run,
			 struct gate_ruling *ret, struct aisbx_error *e)
{
	struct expr_value others = g->score;
	int r = 0;

	note_run(run, ret);
	ret->score.text = "the command printed no line of the form {\"score\": NUMBER}";
	ret->passed = gate_run_passed(run);
	ret->score.known = ret->passed && run->scored;
	ret->score.number = ret->score.known ? run->score : 0;
	if (ret->passed && c->expr) {
		g->score = ret->score;
		r = judge_expr(g, c->expr, ret, e);
		g->score = others;
	} else {
		ret->why = gate_run_words(run);
	}
	return r;
}

/* By a program that gets all facts: a policy, or a module. */
static int judge_by_facts(struct gate *g, const struct project_check *c, struct gate_ruling *ret,
			  struct aisbx_error *e)
{
	const char *dir = c->dir ? c->dir : g->dir;
	struct gate_facts known = { 0 };
	json_t *facts;
	int r;

	gate_facts_fill(g, &known);
	facts = gate_facts_json(&known);
	r = c->kind == CHECK_REGO
		    ? rego_judge_file(&g->by, dir, c->rego, c->query, facts, &ret->passed, &ret->why, e)
		    : wasm_check_judge(&g->by, dir, c->wasm, facts, &ret->passed, &ret->why, e);
	json_decref(facts);
	return r;
}

static int judge(struct gate *g, const struct project_check *c, const struct gate_run *command,
		 struct gate_ruling *ret, struct aisbx_error *e)
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
	case CHECK_WASM:
		r = judge_by_facts(g, c, ret, e);
		break;
	}
	return r == 0 && (!ret->why || ret->judges.failed) ? no_memory(e) : r;
}

static int judge_all(struct gate *g, const struct project_checks *checks, struct aisbx_error *e)
{
	struct gate_verdict *v = g->verdict;
	int r = 0;

	v->passed = true;
	for (; r == 0 && v->n < checks->n; v->n++) {
		struct gate_ruling *ruling = &v->rulings[v->n];

		ruling->check = &checks->items[v->n];
		r = judge(g, ruling->check, g->commands[v->n], ruling, e);
		v->passed = v->passed && ruling->passed;
	}
	if (r < 0)
		return r;
	gate_facts_fill(g, &v->facts);
	if (g->subject->drift)
		gate_look_at_drift(g);
	return 0;
}

/* What it says lives on without the gate. */
static void hand_over(struct gate *g)
{
	struct gate_verdict *v = g->verdict;

	v->paths = g->paths;
	v->hosts = g->hosts;
	for (size_t i = 0; i < GATE_MAX_FACTS; i++) {
		v->facts.values[i].text = NULL;
		if (v->facts.values[i].paths)
			v->facts.values[i].paths =
				v->facts.values[i].paths == &g->hosts ? &v->hosts : &v->paths;
	}
	g->paths = g->hosts = (struct strlist){ 0 };
}

int gate_judge(const struct caller *by, const struct project *p, const struct project_checks *checks,
	       const struct gate_subject *subject, struct gate_verdict *ret, struct aisbx_error *e)
{
	struct project_check score = { .kind = CHECK_EXPR, .expr = (struct expr *)subject->score };
	const struct project_checks of_score = { &score, 1 };
	struct gate g = { .p = p, .subject = subject, .verdict = ret };
	int r = open_gate(&g, by, checks->n, e);

	for (size_t i = 0; r == 0 && i < checks->n; i++)
		note_needs(&g, &checks->items[i]);
	for (size_t i = 0; r == 0 && i < checks->n; i++)
		r = run_for(&g, checks, i, e);
	if (r == 0 && subject->score) {
		note_needs(&g, &score);
		r = run_for(&g, &of_score, 0, e);
	}
	if (r == 0)
		r = judge_all(&g, checks, e);
	if (r == 0 && subject->score)
		r = expr_score(subject->score, gate_fact, &g, &ret->score.number, &ret->score.known, e);
	hand_over(&g);
	gate_finish(&g, checks->n);
	return r;
}
