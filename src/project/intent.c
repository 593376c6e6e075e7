/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of a project in order: from its aisbx.yaml, from its recipes, from conventions. */
#include "project/intent.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "project/intent_list.h"
#include "project/project.h"

/* Far above what a project has; a hostile one may have more. */
#define MAX_WAYS 256u

static void way_finish(struct intent_way *w)
{
	strlist_finish(&w->argv);
	strlist_finish(&w->env);
	free(w->cwd);
	free(w->dir);
	free(w->found_in);
	free(w->why);
}

void intent_list_finish(struct intent_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		way_finish(&l->items[i]);
	free(l->items);
	*l = (struct intent_list){ 0 };
}

void intent_drop_last(struct intent_list *l)
{
	way_finish(&l->items[--l->n]);
}

bool intent_has_name(const struct intent_source *src, const char *name)
{
	return strlist_has(src->names, name);
}

static struct intent_way *add_way(struct intent_list *l, enum intent intent, const char *file)
{
	struct intent_way *grown =
		l->failed || l->n == MAX_WAYS ? NULL : realloc(l->items, (l->n + 1) * sizeof(*grown));
	struct intent_way *w;

	if (!grown) {
		l->failed = l->failed || l->n < MAX_WAYS;
		return NULL;
	}
	l->items = grown;
	w = &grown[l->n++];
	*w = (struct intent_way){ .intent = intent, .found_in = strdup(file) };
	l->failed = !w->found_in;
	return l->failed ? NULL : w;
}

struct intent_way *intent_add(struct intent_list *l, enum intent intent, const char *file,
			      const char *command, const char *format, ...)
{
	struct intent_way *w = add_way(l, intent, file);
	va_list args;

	if (!w)
		return NULL;
	for (const char *word = command; *word; word += strcspn(word, " "), word += *word == ' ')
		strlist_addf(&w->argv, "%.*s", (int)strcspn(word, " "), word);
	va_start(args, format);
	if (vasprintf(&w->why, format, args) < 0)
		w->why = NULL;
	va_end(args);
	l->failed = l->failed || w->argv.failed || !w->why;
	return l->failed ? NULL : w;
}

static void copy_list(const struct strlist *from, struct strlist *to)
{
	for (size_t i = 0; i < from->n; i++)
		strlist_add(to, from->items[i]);
}

static void add_named(const struct project_intent *named, enum intent intent, struct intent_list *l)
{
	struct intent_way *w = add_way(l, intent, PROJECT_FILE);

	if (!w)
		return;
	copy_list(&named->argv, &w->argv);
	copy_list(&named->env, &w->env);
	w->cwd = named->cwd ? strdup(named->cwd) : NULL;
	w->dir = named->dir ? strdup(named->dir) : NULL;
	w->timeout_ms = named->timeout_ms;
	w->shell = named->shell;
	w->box_judges = named->box_judges;
	if (asprintf(&w->why, "it names '%s'", intent_names[intent]) < 0)
		w->why = NULL;
	l->failed = w->argv.failed || w->env.failed || !w->why || (named->cwd && !w->cwd) ||
		    (named->dir && !w->dir);
}

int intent_find(const struct intent_source *src, const struct project *p, struct intent_list *ret,
		struct aisbx_error *e)
{
	scoped(intent_list_finish) struct intent_list l = { 0 };

	for (enum intent i = 0; p && i < INTENT_COUNT; i++)
		if (p->intents[i].argv.n)
			add_named(&p->intents[i], i, &l);
	intent_find_recipes(src, &l);
	intent_find_conventions(src, &l);
	if (l.failed)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "find the project's commands");
	*ret = l;
	l = (struct intent_list){ 0 };
	return 0;
}

const struct intent_way *intent_best(const struct intent_list *l, enum intent intent)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].intent == intent)
			return &l->items[i];
	return NULL;
}

int intent_command(const struct intent_way *w, const struct strlist *args, struct strlist *ret,
		   struct aisbx_error *e)
{
	bool more = args && args->n;

	for (size_t i = 0; i < w->argv.n; i++)
		if (more && w->shell && i + 1 == w->argv.n)
			strlist_addf(ret, "%s \"$@\"", w->argv.items[i]);
		else
			strlist_add(ret, w->argv.items[i]);
	if (more && w->shell)
		strlist_add(ret, "sh");
	if (more && w->mark)
		strlist_add(ret, w->mark);
	if (more)
		copy_list(args, ret);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "make the command") : 0;
}
