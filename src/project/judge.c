/* SPDX-License-Identifier: Apache-2.0 */
/* The list of judges: which files of a project are judges, and whether a path is one of them. */
#include "project/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/scope.h"
#include "expr/expr.h"
#include "expr/tree.h"

void judges_finish(struct judges *j)
{
	for (size_t i = 0; i < j->n; i++) {
		free(j->items[i].dir);
		free(j->items[i].pattern);
	}
	free(j->items);
	*j = (struct judges){ 0 };
}

static bool is_there(const struct judges *j, const char *dir, const char *pattern, enum judge_kind kind)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->items[i].kind == kind && !strcmp(j->items[i].pattern, pattern) &&
		    !strcmp(j->items[i].dir, dir))
			return true;
	return false;
}

void judges_add(struct judges *j, const char *dir, const char *pattern, enum judge_kind kind)
{
	struct judge *grown;

	if (j->failed || is_there(j, dir, pattern, kind))
		return;
	grown = reallocarray(j->items, j->n + 1, sizeof(*grown));
	j->failed = !grown;
	if (!grown)
		return;
	j->items = grown;
	grown += j->n++;
	*grown = (struct judge){ strdup(dir), strdup(pattern), kind };
	j->failed = !grown->dir || !grown->pattern;
}

void judges_add_listed(struct judges *j, const struct project *p)
{
	for (size_t i = 0; i < p->n_judges; i++) {
		const char *path = p->judges[i].path;
		bool one = !strpbrk(path, "*?") && path[strlen(path) - 1] != '/';

		if (p->judges[i].dir)
			judges_add(j, p->judges[i].dir, path, one ? JUDGE_SCRIPT : JUDGE_TEST);
	}
}

void judges_add_way(struct judges *j, const struct intent_way *w, const char *project)
{
	scoped(drop_mem) char *dir = path_resolve(w->dir ? w->dir : project, w->cwd ? w->cwd : ".");

	if (!dir)
		j->failed = true;
	else if (!w->box_judges)
		judges_add_command(j, &w->argv, dir, w->intent == INTENT_TEST || w->intent == INTENT_BENCH);
}

static void add_checks(struct judges *j, const struct project_checks *checks, const struct intent_list *ways,
		       const char *project)
{
	for (size_t i = 0; i < checks->n; i++) {
		const struct project_check *c = &checks->items[i];

		if (c->kind == CHECK_COMMAND && !c->box_judges)
			judges_add_command(j, &c->argv, c->dir ? c->dir : project, false);
		if (c->kind == CHECK_REGO)
			judges_add(j, c->dir ? c->dir : project, c->rego, JUDGE_SCRIPT);
		if (c->kind == CHECK_WASM)
			judges_add(j, c->dir ? c->dir : project, c->wasm, JUDGE_SCRIPT);
		for (enum intent n = 0; n < INTENT_COUNT; n++) {
			const struct intent_way *w = intent_best(ways, n);
			bool asks = (c->kind == CHECK_INTENT && c->intent == n) ||
				    (c->expr && intent_facts[n] && expr_uses(c->expr, intent_facts[n]));

			if (w && asks)
				judges_add_way(j, w, project);
		}
	}
}

void judges_add_all(struct judges *j, const struct project *p, const struct intent_list *ways,
		    const char *project)
{
	judges_add_listed(j, p);
	add_checks(j, &p->guard.gates, ways, project);
	for (size_t i = 0; i < p->n_gates; i++)
		add_checks(j, &p->gates[i].checks, ways, project);
	for (size_t i = 0; i < p->n_stages; i++) {
		add_checks(j, &p->stages[i].before, ways, project);
		add_checks(j, &p->stages[i].after, ways, project);
	}
	for (size_t i = 0; i < p->n_experiments; i++) {
		const struct project_experiment *x = &p->experiments[i];

		add_checks(j, &x->gates, ways, project);
		if (x->test.n)
			judges_add_command(j, &x->test, project, true);
		else if (intent_best(ways, INTENT_TEST))
			judges_add_way(j, intent_best(ways, INTENT_TEST), project);
	}
}

/* Whether PATH has a part of this name. */
static bool has_part(const char *path, const char *name, size_t len)
{
	for (; *path; path += strcspn(path, "/"), path += *path == '/')
		if (strcspn(path, "/") == len && !strncmp(path, name, len))
			return true;
	return false;
}

/* Most patterns are names anywhere; those need no look at all possible places. */
static enum judge_kind fits(const struct judge *j, const char *below)
{
	const char *p = j->pattern, *name = strrchr(below, '/');
	size_t len = strlen(p);
	bool anywhere = !strncmp(p, "**/", 3);

	if (anywhere && p[len - 1] == '/' && !memchr(p + 3, '/', len - 4))
		return has_part(below, p + 3, len - 4) ? j->kind : JUDGE_NONE;
	if (anywhere && !strpbrk(p + 3, "/?"))
		return str_matches(name ? name + 1 : below, p + 3) ? j->kind : JUDGE_NONE;
	if (strpbrk(p, "*?"))
		return expr_glob_fits(below, p, len) ? j->kind : JUDGE_NONE;
	len -= p[len - 1] == '/';
	if (strncmp(below, p, len) != 0)
		return JUDGE_NONE;
	/* Of a directory what is there is the person's, and what is new an addition. */
	return !below[len] ? j->kind : below[len] == '/' ? JUDGE_TEST : JUDGE_NONE;
}

enum judge_kind judges_find(const struct judges *j, const char *path)
{
	enum judge_kind most = JUDGE_NONE;

	for (size_t i = 0; i < j->n; i++) {
		const char *below = path_below(path, j->items[i].dir);
		enum judge_kind kind = below && *below ? fits(&j->items[i], below) : JUDGE_NONE;

		most = kind > most ? kind : most;
	}
	return most;
}
