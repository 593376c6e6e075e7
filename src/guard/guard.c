/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict: from the reader and the table of known commands, then from rules. */
#include "guard/guard.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/env.h"
#include "base/error.h"
#include "base/scope.h"
#include "guard/syntax_tree.h"

const char *guard_act_name(enum project_guard_act act)
{
	static const char *const names[GUARD_ACT_COUNT] = { "run", "look", "box", "ask", "refuse" };

	return act < GUARD_ACT_COUNT ? names[act] : "refuse";
}

void guard_verdict_finish(struct guard_verdict *v)
{
	for (size_t i = 0; i < v->n_reasons; i++)
		free(v->reasons[i].why);
	free(v->reasons);
	strlist_finish(&v->ignored);
	*v = (struct guard_verdict){ 0 };
}

__attribute__((format(printf, 6, 0))) static void say(struct guard *g, enum project_guard_act act,
						      const char *rule, size_t offset, size_t len,
						      const char *fmt, va_list ap)
{
	struct guard_verdict *v = g->verdict;
	struct guard_reason *grown;
	char *why = NULL;

	if (act > v->act)
		v->act = act;
	if (v->n_reasons >= GUARD_MAX_REASONS)
		return;
	grown = reallocarray(v->reasons, v->n_reasons + 1, sizeof(*grown));
	if (grown)
		v->reasons = grown;
	if (!grown || vasprintf(&why, fmt, ap) < 0) {
		v->failed = true;
		return;
	}
	grown[v->n_reasons++] =
		(struct guard_reason){ .offset = offset, .len = len, .rule = rule, .act = act, .why = why };
}

bool guard_say(struct guard *g, enum project_guard_act act, const char *rule, size_t offset, size_t len,
	       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(g, act, rule, offset, len, fmt, ap);
	va_end(ap);
	return false;
}

const char *guard_env(const struct guard *g, const char *name)
{
	return env_find(g->world->env, name);
}

/* '*' any run of characters, '?' one. A pattern that ends with " *" also fits what has no more words. */
static bool fits(const char *text, const char *pattern)
{
	for (; *pattern; pattern++, text++) {
		if (*pattern == '*') {
			while (*pattern == '*')
				pattern++;
			for (; *text; text++)
				if (fits(text, pattern))
					return true;
			return !*pattern;
		}
		if (!*text)
			return !strcmp(pattern, " *");
		if (*pattern != '?' && *pattern != *text)
			return false;
	}
	return !*text;
}

/* The words of C from FIRST on, as rules see them. */
static bool join_words(const struct guard_command *c, size_t first, struct buf *ret)
{
	ret->len = 0;
	for (size_t i = first; i < c->n; i++)
		buf_addf(ret, "%s%s", i > first ? " " : "", c->words[i].text);
	return buf_str(ret) != NULL;
}

/* The strictest of RULES that fits TEXT; NULL: none does. LOOSE: those that say "run" count, too. */
static const struct project_guard_rule *strictest(const struct project_guard *rules, const char *text,
						  bool loose, bool anywhere)
{
	const struct project_guard_rule *found = NULL;

	for (size_t i = 0; rules && i < rules->n_rules; i++) {
		const struct project_guard_rule *r = &rules->rules[i];
		char wide[512];

		if (!loose && r->act == GUARD_RUN)
			continue;
		if (anywhere)
			snprintf(wide, sizeof(wide), "*%.500s*", r->pattern);
		if (fits(text, anywhere ? wide : r->pattern) && (!found || r->act > found->act))
			found = r;
	}
	return found;
}

static void name_ignored(struct guard *g, const char *text)
{
	const struct project_guard *p = g->world->project;

	for (size_t i = 0; p && i < p->n_rules; i++)
		if (p->rules[i].act == GUARD_RUN && fits(text, p->rules[i].pattern) &&
		    !strlist_has(&g->verdict->ignored, p->rules[i].pattern))
			strlist_add(&g->verdict->ignored, p->rules[i].pattern);
}

static bool all_told(const struct guard *g, const struct guard_command *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!guard_is_told(g, &c->words[i]) || (i == 0 && c->words[i].quoted))
			return false;
	return true;
}

static void apply(struct guard *g, const struct guard_command *c, const struct project_guard_rule *r,
		  const char *whose)
{
	if (r->act != GUARD_RUN)
		guard_say(g, r->act, whose, c->offset, c->len, "%s rule '%s' says %s%s%s",
			  strcmp(whose, "project") ? "your" : "the project's", r->pattern,
			  guard_act_name(r->act), r->why ? ": " : "", r->why ? r->why : "");
}

/* A strict rule also fits behind other words: "then git push", "sudo git push". */
static const struct project_guard_rule *find_rule(const struct project_guard *rules,
						  const struct guard_command *c, bool loose,
						  struct guard_verdict *v)
{
	scoped(buf_finish) struct buf text = { 0 };
	const struct project_guard_rule *found = NULL;

	for (size_t i = 0; rules && rules->n_rules && i < c->n; i++) {
		const struct project_guard_rule *r;

		if (!join_words(c, i, &text)) {
			v->failed = true;
			return NULL;
		}
		r = strictest(rules, text.data, loose && i == 0, false);
		if (r && (!found || r->act > found->act))
			found = r;
	}
	return found;
}

/* It needs no glass: a person said so, or it only looks at aisbx itself, or changes the directory. */
static bool runs_as_it_is(const struct guard *g, const struct guard_command *c,
			  const struct project_guard_rule *mine, bool is_fine)
{
	if (mine)
		return is_fine && mine->act == GUARD_RUN;
	return g->is_self || (c->n && !strcmp(c->words[0].text, "cd"));
}

/* Of what a person said of a command their word counts instead of ours; of what a project says, only what is
 * stricter. */
static void judge_command(struct guard *g, const struct guard_command *c)
{
	scoped(buf_finish) struct buf text = { 0 };
	const struct project_guard_rule *mine, *theirs;
	struct guard_verdict *v = g->verdict;
	enum project_guard_act before = v->act;
	size_t reasons = v->n_reasons;
	bool is_fine = true;

	for (size_t i = 0; i < c->n_inputs; i++)
		is_fine &= guard_path(g, &c->inputs[i], LOOK_CONTENT);
	if (is_fine)
		guard_simple(g, c, 0);
	if (!join_words(c, 0, &text)) {
		v->failed = true;
		return;
	}
	mine = find_rule(g->world->personal, c, all_told(g, c) && is_fine, v);
	theirs = find_rule(g->world->project, c, false, v);
	if (mine && is_fine) { /* what was said against it so far is ours */
		while (v->n_reasons > reasons)
			free(v->reasons[--v->n_reasons].why);
		v->act = before;
	}
	g->n_as_it_is += runs_as_it_is(g, c, mine, is_fine);
	g->is_self = false;
	if (mine)
		apply(g, c, mine, "personal");
	if (theirs)
		apply(g, c, theirs, "project");
	name_ignored(g, text.data);
}

/* Of what cannot be read only the strict rules are looked for, anywhere in it. */
static void judge_unread(struct guard *g, const char *text)
{
	const struct project_guard_rule *rules[] = { strictest(g->world->personal, text, false, true),
						     strictest(g->world->project, text, false, true) };
	struct guard_command all = { .len = strlen(text) };

	for (size_t i = 0; i < 2; i++)
		if (rules[i])
			apply(g, &all, rules[i], i ? "project" : "personal");
}

static int begin(struct guard *g, const struct guard_world *w, struct guard_verdict *ret,
		 struct aisbx_error *e)
{
	*g = (struct guard){ .world = w, .verdict = ret };
	g->home = guard_env(g, "HOME");
	if (g->home && g->home[0] != '/')
		g->home = NULL;
	g->path = guard_env(g, "PATH");
	g->cwds[0] = realpath(w->cwd, NULL);
	if (!g->cwds[0])
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "find the directory '%s'", w->cwd);
	g->n_cwds = 1;
	return 0;
}

/* Without the glass runs what the person vouched for, all of it; aisbx cannot do its work
 * behind the glass. */
static void settle(struct guard *g, size_t len)
{
	struct guard_verdict *v = g->verdict;

	v->as_it_is = g->n_as_it_is && g->n_as_it_is == g->tree.n;
	if (v->act == GUARD_RUN && g->has_self && !v->as_it_is)
		guard_say(g, GUARD_BOX, "program", 0, len,
			  "aisbx is used together with other commands; run it alone");
}

static int end(struct guard *g, struct aisbx_error *e)
{
	bool failed = g->verdict->failed || g->verdict->ignored.failed;

	for (size_t i = 0; i < g->n_cwds; i++)
		free(g->cwds[i]);
	guard_tree_finish(&g->tree);
	if (failed) {
		guard_verdict_finish(g->verdict);
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "judge a command");
	}
	return 0;
}

int guard_judge_text(const struct guard_world *w, const char *text, size_t len, struct guard_verdict *ret,
		     struct aisbx_error *e)
{
	struct guard g;
	struct guard_verdict v = { 0 };
	int r = begin(&g, w, &v, e);

	if (r < 0)
		return r;
	if (len > GUARD_MAX_TEXT)
		guard_say(&g, GUARD_LOOK, "reader", 0, len, "it is longer than the limit of %u bytes",
			  GUARD_MAX_TEXT);
	else if (!guard_read(&g, text, len))
		judge_unread(&g, text);
	else if (!g.tree.n)
		guard_say(&g, GUARD_LOOK, "reader", 0, len, "it contains no command");
	for (size_t i = 0; i < g.tree.n; i++)
		judge_command(&g, &g.tree.commands[i]);
	settle(&g, len);
	r = end(&g, e);
	if (r == 0)
		*ret = v;
	return r;
}

int guard_judge_words(const struct guard_world *w, char *const *words, size_t n, struct guard_verdict *ret,
		      struct aisbx_error *e)
{
	struct guard g;
	struct guard_verdict v = { 0 };
	struct guard_command *c;
	size_t at = 0;
	int r = begin(&g, w, &v, e);

	if (r < 0)
		return r;
	g.literal = true;
	c = guard_tree_add(&g.tree);
	for (size_t i = 0; c && i < n; i++) {
		struct guard_word *word = guard_word_add(&c->words, &c->n);

		if (!word)
			break;
		*word = (struct guard_word){ .text = strdup(words[i]),
					     .offset = at,
					     .len = strlen(words[i]) };
		v.failed |= !word->text;
		for (const char *k = words[i]; *k; k++)
			if ((unsigned char)*k < 0x20 && *k != '\n' && *k != '\t') {
				guard_say_word(&g, "reader", word, "it contains a control character");
				break;
			}
		at += word->len + 1;
	}
	if (!c || v.failed)
		v.failed = true;
	else if (c->n < n || !n)
		guard_say(&g, GUARD_LOOK, "reader", 0, 0, "it has too many words, or none");
	else {
		c->len = at - 1;
		judge_command(&g, c);
		settle(&g, c->len);
	}
	r = end(&g, e);
	if (r == 0)
		*ret = v;
	return r;
}
