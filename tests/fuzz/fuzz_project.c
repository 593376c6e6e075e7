/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes project_parse, which reads a file that a model may have written. Whatever is accepted keeps the
 * promises of policy/project.h; whatever is not is told with its place.
 */
#include <stdlib.h>
#include <string.h>

#include "policy/yaml_doc.h"
#include "project/project.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static size_t bytes(const struct strlist *l)
{
	size_t n = 0;

	must(!l->failed && (!l->n || !l->items[l->n]));
	for (size_t i = 0; i < l->n; i++)
		n += strlen(l->items[i]);
	return n;
}

/* An order of start exists: each round starts somebody. */
static void must_start(const struct project *p)
{
	bool up[SERVICE_MAX] = { 0 };
	size_t n_up = 0, before;

	do {
		before = n_up;
		for (size_t i = 0; i < p->services.n; i++) {
			bool can = !up[i];

			for (size_t k = 0; k < p->services.items[i].n_after; k++)
				can = can && up[p->services.items[i].after[k]];
			up[i] = up[i] || can;
			n_up += can;
		}
	} while (n_up > before);
	must(n_up == p->services.n);
}

/* Returns the bytes of all its texts. */
static size_t must_mean(const struct project_intent *t)
{
	bool leaves = false;

	must(t->argv.n ? *t->argv.items[0] != '\0' : !t->env.n && !t->cwd && !t->timeout_ms && !t->shell);
	must(!t->shell || (t->argv.n == 3 && !strcmp(t->argv.items[1], "-c")));
	for (const char *part = t->cwd; part && *part; part += strcspn(part, "/"), part += *part == '/')
		leaves = leaves || (!strncmp(part, "..", 2) && strcspn(part, "/") == 2);
	must(!leaves && (!t->cwd || (*t->cwd && *t->cwd != '/' && strlen(t->cwd) <= PROJECT_MAX_PATH)));
	for (size_t k = 0; k < t->env.n; k++)
		must(strchr(t->env.items[k], '=') > t->env.items[k]);
	return bytes(&t->argv) + bytes(&t->env);
}

static bool is_name(const char *name)
{
	return name && *name && strlen(name) <= DOC_MAX_NAME && !strchr(name, '/') && *name != '.' &&
	       *name != '-';
}

/* Returns the bytes of all texts, as the others do. */
static size_t must_check(const struct project *p, const struct project_checks *checks)
{
	size_t n = 0;

	must(checks->n <= PROJECT_MAX_ALL);
	for (size_t i = 0; i < checks->n; i++) {
		const struct project_check *c = &checks->items[i];

		must(c->text && (!c->gate || project_gate_by_name(p, c->gate)));
		must((c->kind == CHECK_EXPR) == (c->expr && !c->argv.n) &&
		     (c->kind == CHECK_COMMAND) == (c->argv.n > 0));
		must((c->kind == CHECK_REGO) == (c->rego && c->query) &&
		     (c->kind == CHECK_REGO) == (c->rego != NULL));
		must(c->kind != CHECK_INTENT || c->intent < INTENT_COUNT);
		must(!c->rego || (project_is_query(c->query) && *c->rego != '/' && !strstr(c->rego, "../")));
		must(c->kind != CHECK_COMMAND || (c->score != NULL) == (c->expr != NULL));
		n += bytes(&c->argv);
	}
	return n;
}

static size_t must_step(const struct project *p)
{
	size_t n = 0;

	must(p->n_stages <= PROJECT_MAX_STAGES);
	for (size_t i = 0; i < p->n_stages; i++) {
		const struct project_stage *s = &p->stages[i];

		must(is_name(s->name) && (s->target == TARGET_NONE ? s->before.n || s->approve : true));
		must((s->target == TARGET_DIRECTORY || s->target == TARGET_BRANCH) ==
		     (s->where && *s->where));
		must((s->target == TARGET_COMMAND) == (s->command.n > 0) && (!s->rollback.n || s->command.n));
		must(s->target != TARGET_NONE || !s->after.n);
		must(s->target != TARGET_BRANCH ||
		     (*s->where != '-' && !strstr(s->where, "..") && !strpbrk(s->where, " ~^:?*[\\@{")));
		for (size_t k = 0; k < i; k++)
			must(strcmp(p->stages[k].name, s->name) != 0);
		n += must_check(p, &s->before) + must_check(p, &s->after) + bytes(&s->command) +
		     bytes(&s->rollback);
	}
	return n;
}

static size_t must_try(const struct project *p)
{
	size_t n = 0;

	must(p->n_experiments <= PROJECT_MAX_TRIES);
	for (size_t i = 0; i < p->n_experiments; i++) {
		const struct project_experiment *x = &p->experiments[i];

		must(project_experiment_by_name(p, x->name) == x && is_name(x->name) && x->n_branches &&
		     x->n_branches <= PROJECT_MAX_BRANCHES);
		must(x->mode < MODE_COUNT && x->repeat && x->parallel <= PROJECT_MAX_BRANCHES &&
		     (x->score != NULL) == (x->score_text != NULL));
		for (size_t k = 0; k < x->n_branches; k++) {
			must(is_name(x->branches[k].name) && x->branches[k].argv.n &&
			     *x->branches[k].argv.items[0]);
			n += bytes(&x->branches[k].argv);
		}
		n += bytes(&x->test) + must_check(p, &x->gates);
	}
	return n;
}

static size_t must_guard(const struct project *p)
{
	must(p->guard.n_rules <= PROJECT_MAX_RULES && p->guard.promote <= GUARD_PROMOTE);
	for (size_t i = 0; i < p->guard.n_rules; i++)
		must(p->guard.rules[i].pattern && *p->guard.rules[i].pattern &&
		     p->guard.rules[i].act < GUARD_ACT_COUNT);
	return must_check(p, &p->guard.gates);
}

/* To tell all errors is to read the same: it is taken or not as before, and the first is the same unless
 * gates came before it. */
static void must_tell(const char *text, size_t len, int r)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct strlist all = { 0 };
	struct project p = { 0 };
	int again = project_parse_all(text, len, "fuzz.yaml", &p, &all, &e);

	must((again < 0) == (r < 0) && (all.n > 0) == (r < 0) && all.n <= DOC_MAX_ERRORS + DOC_MAX_DEPTH);
	for (size_t i = 0; i < all.n; i++)
		must(!strncmp(all.items[i], "fuzz.yaml:", 10));
	strlist_finish(&all);
	project_finish(&p);
}

/* Part by part: what has no mistake is all there, and a part that has one says nothing. */
static void must_part(const char *data, size_t len, int whole)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct project p = { 0 };
	char *line;

	must(project_parse_parts(data, len, "fuzz.yaml", 0, &p, &e) == 0 &&
	     !(p.broken & ~(unsigned int)PROJECT_ALL));
	must(!p.broken == (whole == 0) && !p.broken == !p.n_problems);
	for (size_t i = 0; i < p.n_problems; i++)
		must(p.problems[i].parts && !(p.problems[i].parts & ~p.broken) &&
		     !strncmp(p.problems[i].text, "fuzz.yaml:", 10));
	must(!(p.broken & PROJECT_SERVICES) || !p.services.n);
	must(!(p.broken & PROJECT_GATES) || !p.n_gates);
	must(!(p.broken & PROJECT_STAGES) || !p.n_stages);
	must(!(p.broken & PROJECT_EXPERIMENTS) || !p.n_experiments);
	must(!(p.broken & PROJECT_JUDGES) || !p.n_judges);
	for (size_t i = 0; (p.broken & PROJECT_GUARD) && i < p.guard.n_rules; i++)
		must(p.guard.rules[i].pattern && p.guard.rules[i].act > GUARD_LOOK);
	must(!(p.broken & PROJECT_GUARD) || p.guard.promote == GUARD_SHOW);
	for (unsigned int part = 1; part < PROJECT_ALL; part *= 2)
		must((project_need(&p, part, &e) < 0) == ((p.broken & part) != 0));
	line = project_problem_line(&p);
	must(!line == !p.n_problems);
	free(line);
	project_finish(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct project p = { 0 };
	size_t total = 0;
	int r = project_parse((const char *)data, len, "fuzz.yaml", &p, &e);

	must_tell((const char *)data, len, r);
	must_part((const char *)data, len, r);
	if (r < 0) {
		must(!p.services.items && !p.services.n && !p.gates && !p.stages && !p.experiments &&
		     !p.guard.rules && e.code == r && !strncmp(e.text, "fuzz.yaml:", 10));
		return 0;
	}
	must(p.services.n <= SERVICE_MAX);
	for (size_t i = 0; i < p.services.n; i++) {
		const struct service_spec *s = &p.services.items[i];

		must(*s->name && strlen(s->name) <= DOC_MAX_NAME && !strchr(s->name, '/') && *s->name != '.');
		must(s->argv.n > 0 && *s->argv.items[0]);
		must((s->ready == READY_STARTED) == !s->ready_text &&
		     (s->ready == READY_PORT) == (s->port != 0));
		must((s->ready == READY_FILE || s->ready == READY_COMMAND) == (s->ready_argv.n > 0));
		must(s->ready_ms > 0 && s->restart <= RESTART_ALWAYS && s->n_after < p.services.n);
		for (size_t k = 0; k < s->env.n; k++)
			must(strchr(s->env.items[k], '=') > s->env.items[k]);
		total += bytes(&s->argv) + bytes(&s->env) + bytes(&s->ready_argv);
	}
	for (enum intent i = 0; i < INTENT_COUNT; i++)
		total += must_mean(&p.intents[i]);
	must(p.n_gates <= PROJECT_MAX_GATES);
	for (size_t i = 0; i < p.n_gates; i++) {
		must(is_name(p.gates[i].name) && p.gates[i].checks.n &&
		     intent_by_name(p.gates[i].name) == INTENT_COUNT);
		total += must_check(&p, &p.gates[i].checks);
	}
	total += must_step(&p) + must_try(&p) + must_guard(&p);
	must(total <= 2 * DOC_MAX_EXPANDED); /* the words of shells come on top, and what gates stand for */
	must_start(&p);
	project_finish(&p);
	return 0;
}
