/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes scan_policy_parse: policies are passed around. Whatever is accepted keeps the promises of
 * scan/rules.h, and its regular expressions can be run; whatever is not is told with its place.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policy/scan_policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void must_run(const struct scan_regexes *l)
{
	for (size_t i = 0; i < l->n; i++) {
		must(*l->list[i].text);
		(void)regexec(&l->list[i].compiled, "aab()[]{}\x01 rm -rf /", 0, NULL, 0);
	}
}

static void must_hold(const struct scan_policy *p, const struct scan_rule *r)
{
	must(r->id && *r->id && strlen(r->id) <= 64 && r->why && *r->why && (!r->advice || *r->advice));
	must(r->severity > SEVERITY_NONE && r->severity < SEVERITY_COUNT && r->kind < RULE_KIND_COUNT &&
	     r->lang < SCAN_LANG_COUNT);
	must((r->kind == RULE_PATTERN) == (r->match.n > 0) && (r->kind == RULE_TOGETHER) == (r->all.n > 0));
	for (const struct scan_rule *other = p->rules; other < r; other++)
		must(strcmp(other->id, r->id) != 0);
	must_run(&r->match);
	must_run(&r->args);
	must_run(&r->line);
	must_run(&r->unless);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct scan_policy p = { 0 };
	int r = scan_policy_parse((const char *)data, len, "fuzz.yaml", &p, &e);

	if (r < 0) {
		must(!p.rules && !p.n_rules && e.code == r && !strncmp(e.text, "fuzz.yaml:", 10));
		return 0;
	}
	must(p.name && *p.name && p.n_rules <= 2 * SCAN_POLICY_MAX_RULES);
	for (size_t i = 0; i < p.n_rules; i++)
		must_hold(&p, &p.rules[i]);
	for (size_t i = 0; i < SEVERITY_COUNT; i++)
		must(p.levels[i] < ACTION_COUNT);
	scan_policy_finish(&p);
	return 0;
}
