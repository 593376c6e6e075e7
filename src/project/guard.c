/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the section of aisbx.yaml for the guard: rules for commands, and what to do with changes of a box. */
#include <stdlib.h>
#include <string.h>

#include "project/read.h"

const char *const project_guard_act_names[] = {
	[GUARD_RUN] = "run", [GUARD_LOOK] = "look",     [GUARD_BOX] = "box",
	[GUARD_ASK] = "ask", [GUARD_REFUSE] = "refuse", NULL
};
const char *const project_promote_names[] = { [GUARD_SHOW] = "show", [GUARD_PROMOTE] = "auto", NULL };

void project_guard_finish(struct project *p)
{
	for (size_t i = 0; i < p->guard.n_rules; i++) {
		free(p->guard.rules[i].pattern);
		free(p->guard.rules[i].why);
	}
	free(p->guard.rules);
	project_checks_finish(&p->guard.gates);
}

static int read_pattern(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_copy(r, n, "'command'", PROJECT_MAX_TEXT, &((struct project_guard_rule *)into)->pattern);
}

static int read_act(struct doc *r, const yaml_node_t *n, void *into)
{
	size_t i = 0;
	int err = doc_one_of(r, n, "'do'", project_guard_act_names, &i);

	((struct project_guard_rule *)into)->act = (enum project_guard_act)i;
	return err;
}

static int read_why(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_copy(r, n, "'why'", PROJECT_MAX_TEXT, &((struct project_guard_rule *)into)->why);
}

static const struct doc_shape text_shape = { .kind = DOC_TEXT, .pattern = "." };
static const struct doc_shape act_shape = { .kind = DOC_CHOICE, .choices = project_guard_act_names };
static const struct doc_key rule_keys[] = {
	{ "command", read_pattern, &text_shape, "command pattern with '*' and '?': \"git push *\"", true },
	{ "do", read_act, &act_shape,
	  "run it on the machine, look (try it behind the glass first), run it in a box, ask a person, or "
	  "refuse it",
	  true },
	{ "why", read_why, &text_shape, "reason, for the message" },
	{ .name = NULL },
};
static const struct doc_shape rule_shape = { .kind = DOC_KEYS, .keys = rule_keys };
static const struct doc_shape rules_shape = { .kind = DOC_LIST,
					      .of = &rule_shape,
					      .most = PROJECT_MAX_RULES };

static int read_rule(struct doc *r, const yaml_node_t *n, size_t i, void *into)
{
	struct project_guard *g = into;

	g->n_rules = i + 1;
	return doc_mapping(r, n, "a rule", rule_keys, &g->rules[i]);
}

static int read_rules(struct doc *r, const yaml_node_t *n, void *into)
{
	struct project_guard *g = into;

	g->rules = calloc(doc_count(n) + 1, sizeof(*g->rules));
	return g->rules ? doc_list(r, n, "rules", &rules_shape, read_rule, g) : doc_no_memory(r);
}

static int read_gates(struct doc *r, const yaml_node_t *n, void *into)
{
	return project_read_checks(r, n, &((struct project_guard *)into)->gates);
}

static int read_promote(struct doc *r, const yaml_node_t *n, void *into)
{
	size_t i = 0;
	int err = doc_one_of(r, n, "'promote'", project_promote_names, &i);

	((struct project_guard *)into)->promote = (enum project_guard_promote)i;
	return err;
}

static const struct doc_shape promote_shape = { .kind = DOC_CHOICE, .choices = project_promote_names };
static const struct doc_key guard_keys[] = {
	{ "rules", read_rules, &rules_shape, "rules; if several match, the strictest applies" },
	{ "gates", read_gates, &project_checks_shape,
	  "gates that must hold before changes of a box are promoted" },
	{ "promote", read_promote, &promote_shape,
	  "show the changes of a box, or promote them (auto); default: show" },
	{ .name = NULL },
};
const struct doc_shape project_guard_shape = { .kind = DOC_KEYS, .keys = guard_keys };

int project_read_guard(struct doc *r, const yaml_node_t *map, void *into)
{
	return doc_mapping(r, map, "'guard'", guard_keys, &((struct project *)into)->guard);
}

void project_guard_keep_strict(struct project *p)
{
	struct project_guard *g = &p->guard;
	size_t kept = 0;

	for (size_t i = 0; i < g->n_rules; i++) {
		struct project_guard_rule *rule = &g->rules[i];

		if (rule->pattern && rule->act > GUARD_LOOK) {
			g->rules[kept++] = *rule;
			continue;
		}
		free(rule->pattern);
		free(rule->why);
	}
	g->n_rules = kept;
	g->promote = GUARD_SHOW;
}
