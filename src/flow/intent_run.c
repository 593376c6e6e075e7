/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a way of a project, and tells how many tests passed. */
#include "flow/intent_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/intents.h"

void intent_result_finish(struct intent_result *r)
{
	run_report_finish(&r->report);
	strlist_finish(&r->command);
	free(r->found_in);
	*r = (struct intent_result){ 0 };
}

static void output_listener(void *ctx, int which, const char *data, size_t len)
{
	intent_tally_add(ctx, which, data, len);
}

/* What the way sets comes first: whoever asks may say otherwise. */
static void add_env(const struct intent_way *way, const struct run_options *run, struct strlist *to)
{
	for (size_t i = 0; i < way->env.n; i++)
		strlist_add(to, way->env.items[i]);
	for (size_t i = 0; i < run->env.n; i++)
		strlist_add(to, run->env.items[i]);
}

/* Where it runs: its own directory below DIR, below the project. Heap, or NULL. */
static char *cwd_of(const struct intent_way *way, const char *dir)
{
	char *cwd = NULL;

	if (!way->cwd)
		return strdup(*dir ? dir : ".");
	return asprintf(&cwd, "%s%s%s", dir, *dir ? "/" : "", way->cwd) < 0 ? NULL : cwd;
}

int intent_run_way(const struct caller *by, const struct run_options *run, const struct intent_way *way,
		   const char *dir, const struct strlist *more, struct intent_result *ret,
		   struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist env = { 0 };
	scoped(drop_mem) char *cwd = cwd_of(way, dir);
	struct run_options options = *run;
	struct intent_tally tally;
	int r = intent_command(way, more, &ret->command, e);

	if (r < 0)
		return r;
	add_env(way, run, &env);
	ret->intent = way->intent;
	ret->found_in = strdup(way->found_in);
	if (env.failed || !ret->found_in || !cwd)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "make the command");
	options.cwd = cwd;
	options.here = false; /* it is relative to the project */
	options.env = env;
	options.command = ret->command;
	options.replayable = true;
	options.output_listener = output_listener;
	options.output_listener_ctx = &tally;
	if (way->timeout_ms && !(options.limited & (1u << LIMIT_WALL_TIME)))
		run_options_limit(&options, LIMIT_WALL_TIME, way->timeout_ms);
	intent_tally_init(&tally, way->runner);
	r = run_execute(by, &options, &ret->report, e);
	if (r == 0 && (way->intent == INTENT_TEST || way->intent == INTENT_BENCH))
		ret->counted = intent_tally_end(&tally, &ret->tests, &ret->runner);
	return r;
}

static int no_way(enum intent intent, const struct intent_list *found, struct aisbx_error *e)
{
	aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
		     "aisbx knows no command to '%s' this project", intent_names[intent]);
	if (found->n)
		aisbx_hint(e, "'aisbx intents' lists the known commands");
	return aisbx_hint(e,
			  "set one in its aisbx.yaml: 'intents: {%s: COMMAND}', or run it with 'aisbx run'",
			  intent_names[intent]);
}

int intent_run(const struct caller *by, enum intent intent, const struct run_options *run,
	       const struct strlist *more, struct intent_result *ret, struct aisbx_error *e)
{
	const struct box_intents_request where = {
		.box = run->box,
		.project = run->project || run->box ? run->project : caller_project(by),
		.dir = run->cwd,
		.here = run->here && by->project && !run->project ? by->cwd : NULL,
		.want = intent,
	};
	scoped(intent_list_finish) struct intent_list found = { 0 };
	scoped(drop_mem) char *dir = NULL;
	const struct intent_way *way;
	int r = box_intents_find(by->cwd, &where, &found, &dir, e);

	if (r < 0)
		return r;
	way = intent_best(&found, intent);
	return way ? intent_run_way(by, run, way, dir, more, ret, e) : no_way(intent, &found, e);
}
