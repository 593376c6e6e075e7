/* SPDX-License-Identifier: Apache-2.0 */
/* A project's file as JSON, in the form of the file: what is shown can be read again and says the same. */
#include "op/project_json.h"

#include <string.h>

#include "op/intents.h"

/* A command that is one text for a shell is written as one. */
static json_t *command_json(const struct strlist *l)
{
	bool shell = l->n == 3 && !strcmp(l->items[0], "sh") && !strcmp(l->items[1], "-c") && *l->items[2];

	return shell ? op_text_json(l->items[2]) : op_words_json(l);
}

static void put(json_t *map, const char *key, json_t *value)
{
	json_object_set_new(map, key, value);
}

static void put_text(json_t *map, const char *key, const char *text)
{
	if (text)
		put(map, key, op_text_json(text));
}

static void put_time(json_t *map, const char *key, uint64_t ms)
{
	if (ms)
		put(map, key, op_time_json(ms));
}

static void put_number(json_t *map, const char *key, uint64_t n)
{
	if (n)
		put(map, key, json_integer((json_int_t)n));
}

static json_t *intents_json(const struct project *p)
{
	json_t *map = json_object();

	for (enum intent i = 0; i < INTENT_COUNT; i++) {
		const struct project_intent *t = &p->intents[i];
		json_t *one;

		if (!t->argv.n)
			continue;
		one = json_pack("{s:o}", "command", command_json(&t->argv));
		put_text(one, "cwd", t->cwd);
		if (t->env.n)
			put(one, "env", op_variables_json(&t->env));
		put_time(one, "timeout", t->timeout_ms);
		put_text(one, "judges_from", t->box_judges ? "box" : NULL);
		put(map, intent_names[i], one);
	}
	return map;
}

static json_t *check_json(const struct project_check *c)
{
	json_t *one;

	switch (c->kind) {
	case CHECK_INTENT:
	case CHECK_EXPR:
		return op_text_json(c->text);
	case CHECK_REGO:
		return json_pack("{s:o, s:o}", "rego", op_text_json(c->rego), "query",
				 op_text_json(c->query));
	case CHECK_WASM:
		return json_pack("{s:o}", "wasm", op_text_json(c->wasm));
	case CHECK_COMMAND:
		one = json_pack("{s:o}", "command", command_json(&c->argv));
		put_time(one, "timeout", c->timeout_ms);
		put_text(one, "score", c->score);
		put_text(one, "judges_from", c->box_judges ? "box" : NULL);
		return one;
	}
	return NULL;
}

/* How many checks of C from I on are those of G, all of them; 0: not so. */
static size_t stands_for(const struct project_gate *g, const struct project_checks *c, size_t i)
{
	if (g->checks.n > c->n - i)
		return 0;
	for (size_t k = 0; k < g->checks.n; k++) {
		const struct project_check *a = &g->checks.items[k], *b = &c->items[i + k];

		if (!b->gate || a->kind != b->kind || strcmp(a->text, b->text) != 0 ||
		    a->timeout_ms != b->timeout_ms || a->box_judges != b->box_judges ||
		    strcmp(a->score ? a->score : "", b->score ? b->score : "") != 0)
			return 0;
	}
	return g->checks.n;
}

/* Nothing at all when there are none: a list of none is an error in a file. Gates go by their names again,
 * the largest that fits. */
static void put_checks(json_t *map, const char *key, const struct project *p,
		       const struct project_checks *checks)
{
	json_t *list = checks->n ? json_array() : NULL;

	for (size_t i = 0; i < checks->n;) {
		const struct project_gate *best = NULL;

		for (size_t k = 0; k < p->n_gates; k++)
			if (&p->gates[k].checks != checks &&
			    stands_for(&p->gates[k], checks, i) > (best ? best->checks.n : 0))
				best = &p->gates[k];
		json_array_append_new(list, best ? json_string(best->name) : check_json(&checks->items[i]));
		i += best ? best->checks.n : 1;
	}
	if (list)
		put(map, key, list);
}

static json_t *stage_json(const struct project *p, const struct project_stage *s)
{
	json_t *one = json_pack("{s:s}", "name", s->name);

	put_checks(one, "gates", p, &s->before);
	if (s->target == TARGET_DIRECTORY || s->target == TARGET_BRANCH)
		put(one, "to",
		    json_pack("{s:o}", s->target == TARGET_BRANCH ? "branch" : "directory",
			      op_text_json(s->where)));
	if (s->target == TARGET_COMMAND)
		put(one, "to", json_pack("{s:o}", "command", command_json(&s->command)));
	if (s->rollback.n)
		put(json_object_get(one, "to"), "rollback", command_json(&s->rollback));
	put_checks(one, "after", p, &s->after);
	put(one, "approve", json_boolean(s->approve));
	return one;
}

static json_t *experiment_json(const struct project *p, const struct project_experiment *x)
{
	json_t *one = json_object(), *branches = json_object(), *budget = json_object();

	for (size_t i = 0; i < x->n_branches; i++)
		put(branches, x->branches[i].name, command_json(&x->branches[i].argv));
	put(one, "branches", branches);
	if (x->test.n)
		put(one, "test", command_json(&x->test));
	put_checks(one, "gates", p, &x->gates);
	put(one, "mode", json_string(project_mode_names[x->mode]));
	put_text(one, "score", x->score_text);
	put(one, "prefer", json_string(x->most ? "most" : "least"));
	put_number(one, "repeat", x->repeat);
	put_time(budget, "time", x->budget_ms);
	put_time(budget, "cpu", x->budget_cpu_ms);
	put_number(budget, "runs", x->budget_runs);
	put(one, "budget", budget);
	put_number(one, "parallel", x->parallel);
	return one;
}

static json_t *guard_json(const struct project *p, const struct project_guard *g)
{
	json_t *one = json_object(), *rules = json_array();

	for (size_t i = 0; i < g->n_rules; i++) {
		json_t *rule = json_pack("{s:o, s:s}", "command", op_text_json(g->rules[i].pattern), "do",
					 project_guard_act_names[g->rules[i].act]);

		put_text(rule, "why", g->rules[i].why);
		json_array_append_new(rules, rule);
	}
	put(one, "rules", rules);
	put_checks(one, "gates", p, &g->gates);
	put(one, "promote", json_string(project_promote_names[g->promote]));
	return one;
}

json_t *op_project_json(const struct project *p)
{
	json_t *gates = json_object(), *stages = json_array(), *experiments = json_object(),
	       *judges = json_array();

	for (size_t i = 0; i < p->n_judges; i++)
		json_array_append_new(judges, op_text_json(p->judges[i].path));
	for (size_t i = 0; i < p->n_gates; i++)
		put_checks(gates, p->gates[i].name, p, &p->gates[i].checks);
	for (size_t i = 0; i < p->n_stages; i++)
		json_array_append_new(stages, stage_json(p, &p->stages[i]));
	for (size_t i = 0; i < p->n_experiments; i++)
		put(experiments, p->experiments[i].name, experiment_json(p, &p->experiments[i]));
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "version", 1, "services",
			 op_services_json(&p->services), "intents", intents_json(p), "gates", gates, "stages",
			 stages, "experiments", experiments, "guard", guard_json(p, &p->guard), "judges",
			 judges);
}
