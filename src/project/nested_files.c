/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Combines two files of one project, the outer in a directory above the inner's. Whoever works in a
 * subdirectory can write a file there, so the inner one may add requirements, and removes none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "project/read.h"

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "join two files of a project");
}

static bool place_checks(struct project_checks *c, const char *dir)
{
	bool ok = true;

	for (size_t i = 0; ok && i < c->n; i++)
		ok = c->items[i].dir || (c->items[i].dir = strdup(dir));
	return ok;
}

int project_place(struct project *p, const char *dir, struct aisbx_error *e)
{
	bool ok = place_checks(&p->guard.gates, dir);

	for (size_t i = 0; ok && i < p->n_gates; i++)
		ok = place_checks(&p->gates[i].checks, dir);
	for (size_t i = 0; ok && i < p->n_experiments; i++)
		ok = place_checks(&p->experiments[i].gates, dir);
	for (size_t i = 0; ok && i < p->n_stages; i++)
		ok = place_checks(&p->stages[i].before, dir) && place_checks(&p->stages[i].after, dir) &&
		     (p->stages[i].dir = strdup(dir));
	for (size_t i = 0; ok && i < p->n_judges; i++)
		ok = (p->judges[i].dir = strdup(dir));
	for (size_t i = 0; ok && i < INTENT_COUNT; i++)
		ok = !p->intents[i].argv.n || (p->intents[i].dir = strdup(dir));
	return ok ? 0 : no_memory(e);
}

/* TO, grown to hold those of FROM behind its own; NULL: no memory, and TO is as it was. */
static void *joined(void *to, size_t n_to, const void *from, size_t n_from, size_t size)
{
	char *grown = reallocarray(to, n_to + n_from + 1, size);

	if (grown && n_from)
		memcpy(grown + n_to * size, from, n_from * size);
	return grown;
}

static bool join_checks(struct project_checks *to, struct project_checks *from)
{
	struct project_check *all = joined(to->items, to->n, from->items, from->n, sizeof(*all));

	if (!all)
		return false;
	to->items = all;
	to->n += from->n;
	free(from->items);
	*from = (struct project_checks){ 0 };
	return true;
}

static bool join_rules(struct project_guard *to, struct project_guard *from)
{
	struct project_guard_rule *all =
		joined(to->rules, to->n_rules, from->rules, from->n_rules, sizeof(*all));

	if (!all)
		return false;
	to->rules = all;
	to->n_rules += from->n_rules;
	free(from->rules);
	from->rules = NULL;
	from->n_rules = 0;
	return true;
}

static bool join_judges(struct project *to, struct project *from)
{
	struct project_judge *all =
		joined(to->judges, to->n_judges, from->judges, from->n_judges, sizeof(*all));

	if (!all)
		return false;
	to->judges = all;
	to->n_judges += from->n_judges;
	free(from->judges);
	from->judges = NULL;
	from->n_judges = 0;
	return true;
}

/* What one of them lacks because of a mistake, both together lack. */
static bool join_problems(struct project *to, struct project *from)
{
	struct project_problem *all =
		joined(to->problems, to->n_problems, from->problems, from->n_problems, sizeof(*all));

	if (!all)
		return false;
	to->problems = all;
	to->n_problems += from->n_problems;
	to->broken |= from->broken;
	free(from->problems);
	from->problems = NULL;
	from->n_problems = 0;
	return true;
}

/* Where LIST has a gate by its name, the outer's gate of that name is meant as well. */
static int add_outer(const struct project *outer, struct project_checks *list, struct aisbx_error *e)
{
	size_t n = list->n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		const char *name = list->items[i].gate;
		bool first = name && project_gate_by_name(outer, name);

		for (size_t k = 0; first && k < i; k++)
			first = !list->items[k].gate || strcmp(list->items[k].gate, name) != 0;
		if (first)
			r = project_check_add(outer, name, list, e);
	}
	return r;
}

static int add_outer_everywhere(const struct project *outer, struct project *inner, struct aisbx_error *e)
{
	int r = add_outer(outer, &inner->guard.gates, e);

	for (size_t i = 0; r == 0 && i < inner->n_stages; i++) {
		r = add_outer(outer, &inner->stages[i].before, e);
		if (r == 0)
			r = add_outer(outer, &inner->stages[i].after, e);
	}
	for (size_t i = 0; r == 0 && i < inner->n_experiments; i++)
		r = add_outer(outer, &inner->experiments[i].gates, e);
	return r;
}

/* Further checks of a gate that both have; gates that only the inner has. */
static int join_gates(struct project *outer, struct project *inner, struct aisbx_error *e)
{
	for (size_t i = 0; i < inner->n_gates; i++) {
		struct project_gate *g = &inner->gates[i],
				    *same = (struct project_gate *)project_gate_by_name(outer, g->name);
		struct project_gate *grown;

		if (same && !join_checks(&same->checks, &g->checks))
			return no_memory(e);
		if (same)
			continue;
		grown = reallocarray(outer->gates, outer->n_gates + 1, sizeof(*grown));
		if (!grown)
			return no_memory(e);
		outer->gates = grown;
		grown[outer->n_gates++] = *g;
		*g = (struct project_gate){ 0 };
	}
	return 0;
}

static bool has_checks(const struct project *p)
{
	return (p->broken & PROJECT_DECISIONS) || p->n_gates || p->n_stages || p->guard.gates.n ||
	       p->n_experiments;
}

/* What is meant by "test" is part of what must hold: only where the outer says nothing that
 * could hang on it. */
static void join_intents(struct project *outer, struct project *inner)
{
	for (size_t i = 0; !has_checks(outer) && i < INTENT_COUNT; i++)
		if (!outer->intents[i].argv.n) {
			outer->intents[i] = inner->intents[i];
			inner->intents[i] = (struct project_intent){ 0 };
		}
}

static int join_experiments(struct project *outer, struct project *inner, struct aisbx_error *e)
{
	for (size_t i = 0; i < inner->n_experiments; i++) {
		struct project_experiment *x = &inner->experiments[i], *grown;

		if (project_experiment_by_name(outer, x->name))
			continue;
		grown = reallocarray(outer->experiments, outer->n_experiments + 1, sizeof(*grown));
		if (!grown)
			return no_memory(e);
		outer->experiments = grown;
		grown[outer->n_experiments++] = *x;
		*x = (struct project_experiment){ 0 };
	}
	return 0;
}

static void join_stages(struct project *outer, struct project *inner)
{
	if (outer->n_stages)
		return;
	free(outer->stages);
	outer->stages = inner->stages;
	outer->n_stages = inner->n_stages;
	inner->stages = NULL;
	inner->n_stages = 0;
}

int project_nest(struct project *outer, struct project *inner, struct aisbx_error *e)
{
	int r = add_outer_everywhere(outer, inner, e);

	if (r < 0)
		return r;
	if (!join_problems(outer, inner))
		return no_memory(e);
	join_intents(outer, inner);
	join_stages(outer, inner);
	for (size_t i = 0; i < inner->files.n; i++)
		strlist_add(&outer->files, inner->files.items[i]);
	if (outer->files.failed || !join_rules(&outer->guard, &inner->guard) ||
	    !join_checks(&outer->guard.gates, &inner->guard.gates) || !join_judges(outer, inner))
		return no_memory(e);
	r = join_experiments(outer, inner, e);
	return r < 0 ? r : join_gates(outer, inner, e);
}
