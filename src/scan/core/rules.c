/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing rules, and the names of their parts. */
#include "scan/core/rules.h"

#include <stdlib.h>

static void finish_regexes(struct scan_regexes *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->list[i].text);
		regfree(&l->list[i].compiled);
	}
	free(l->list);
	*l = (struct scan_regexes){ 0 };
}

void scan_rule_finish(struct scan_rule *r)
{
	free(r->id);
	free(r->why);
	free(r->advice);
	free(r->wasm);
	strlist_finish(&r->names);
	strlist_finish(&r->from);
	strlist_finish(&r->all);
	finish_regexes(&r->match);
	finish_regexes(&r->args);
	finish_regexes(&r->line);
	finish_regexes(&r->unless);
	*r = (struct scan_rule){ 0 };
}

void scan_policy_finish(struct scan_policy *p)
{
	for (size_t i = 0; i < p->n_rules; i++)
		scan_rule_finish(&p->rules[i]);
	free(p->rules);
	free(p->name);
	strlist_finish(&p->notes);
	*p = (struct scan_policy){ 0 };
}

#define X(name, text) text,
const char *scan_severity_name(enum scan_severity s)
{
	static const char *const names[] = { SCAN_SEVERITIES(X) };

	return names[s];
}

const char *scan_action_name(enum scan_action a)
{
	static const char *const names[] = { SCAN_ACTIONS(X) };

	return names[a];
}

const char *scan_lang_name(enum scan_lang l)
{
	static const char *const names[] = { SCAN_LANGUAGES(X) };

	return names[l];
}

const char *scan_rule_kind_name(enum scan_rule_kind k)
{
	static const char *const names[] = { SCAN_RULE_KINDS(X) };

	return names[k];
}
#undef X
