/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the ways of a project, and runs one of them with how many tests passed. */
#include "flow/intent_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/intents.h"
#include "box/owner.h"

/* Where to look, below the project; heap, or NULL with an error. */
static char *place(const char *project, const char *cwd, struct aisbx_error *e)
{
	scoped(drop_mem) char *full = path_resolve(project, cwd ? cwd : ".");
	const char *below = full ? path_below(full, project) : NULL;
	char *dir;

	if (full && !below) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			     "'%s' is not in the project '%s', so nobody can tell its own way", cwd, project);
		return NULL;
	}
	dir = below ? strdup(below) : NULL;
	if (!dir)
		aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "look for the project's commands");
	return dir;
}

int intent_ways_find(const struct caller *by, const struct intent_where *where, struct intent_list *ret,
		     char **ret_dir, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	scoped(drop_mem) char *project = NULL, *dir = NULL;
	const char *key = where->box, *given = where->project;
	int r = 0;

	if (key && given)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "a box has its project since it was created; leave --project out");
	if (key)
		r = box_shelf_open(&shelf, e);
	if (r == 0 && key)
		r = box_find(&shelf, key, &box, e);
	if (r == 0 && key && !box.project)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "box '%s' has no project",
				 box.name);
	if (r < 0)
		return r;
	project = path_resolve(by->cwd, key ? box.project : given ? given : ".");
	dir = project ? place(project, where->cwd, e) : NULL;
	if (!dir)
		return project ? e->code
			       : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "look for the project's commands");
	r = box_intents(key ? &shelf : NULL, key ? &box : NULL, project, dir, where->says, ret, e);
	if (r == 0 && ret_dir)
		*ret_dir = take_mem(&dir);
	return r;
}

void intent_result_finish(struct intent_result *r)
{
	run_report_finish(&r->report);
	strlist_finish(&r->command);
	free(r->found_in);
	*r = (struct intent_result){ 0 };
}

static void tap(void *ctx, int which, const char *data, size_t len)
{
	intent_tally_add(ctx, which, data, len);
}

/* What the way sets comes first: whoever asks may say otherwise. */
static void add_env(const struct intent_way *way, const struct run_wish *run, struct strlist *to)
{
	for (size_t i = 0; i < way->env.n; i++)
		strlist_add(to, way->env.items[i]);
	for (size_t i = 0; i < run->env.n; i++)
		strlist_add(to, run->env.items[i]);
}

int intent_run_way(const struct caller *by, const struct run_wish *run, const struct intent_way *way,
		   const char *dir, const struct strlist *more, struct intent_result *ret,
		   struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist env = { 0 };
	scoped(drop_mem) char *cwd = NULL;
	struct run_wish wish = *run;
	struct intent_tally tally;
	int r = intent_command(way, more, &ret->command, e);

	if (r < 0)
		return r;
	add_env(way, run, &env);
	ret->intent = way->intent;
	ret->found_in = strdup(way->found_in);
	if (way->cwd && asprintf(&cwd, "%s%s%s", dir, *dir ? "/" : "", way->cwd) < 0)
		cwd = NULL;
	if (env.failed || !ret->found_in || (way->cwd && !cwd))
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "make the command");
	wish.cwd = way->cwd ? cwd : *dir ? dir : ".";
	wish.env = env;
	wish.command = ret->command;
	wish.replayable = true;
	wish.tap = tap;
	wish.tap_ctx = &tally;
	if (way->timeout_ms && !(wish.limited & (1u << LIMIT_WALL_TIME)))
		run_wish_limit(&wish, LIMIT_WALL_TIME, way->timeout_ms);
	intent_tally_init(&tally, way->runner);
	r = run_execute(by, &wish, &ret->report, e);
	if (r == 0 && (way->intent == INTENT_TEST || way->intent == INTENT_BENCH))
		ret->counted = intent_tally_end(&tally, &ret->tests, &ret->runner);
	return r;
}

static int no_way(enum intent intent, const struct intent_list *found, struct aisbx_error *e)
{
	aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
		     "the project has no way to '%s' that aisbx knows", intent_names[intent]);
	if (found->n)
		aisbx_hint(e, "'aisbx intents' lists what there is");
	return aisbx_hint(e,
			  "name one in its aisbx.yaml: 'intents: {%s: COMMAND}', or run it with 'aisbx run'",
			  intent_names[intent]);
}

int intent_run(const struct caller *by, enum intent intent, const struct run_wish *run,
	       const struct strlist *more, struct intent_result *ret, struct aisbx_error *e)
{
	const struct intent_where where = { .box = run->box, .project = run->project, .cwd = run->cwd };
	scoped(intent_list_finish) struct intent_list found = { 0 };
	scoped(drop_mem) char *dir = NULL;
	const struct intent_way *way;
	int r = intent_ways_find(by, &where, &found, &dir, e);

	if (r < 0)
		return r;
	way = intent_best(&found, intent);
	return way ? intent_run_way(by, run, way, dir, more, ret, e) : no_way(intent, &found, e);
}
