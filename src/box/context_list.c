/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreters of a box, found among its live runs. */
#include "box/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/live_run.h"

/* How long a box may take to end after its last command. */
#define ENDING_MS 10000

/* Language and name out of its command, which we made. */
static bool read_command(const char *command, struct context_there *ret)
{
	const char *at = command ? strstr(command, CONTEXT_PLACE) : NULL, *name;
	size_t lang, n;

	if (!at)
		return false;
	at += strlen(CONTEXT_PLACE);
	lang = strcspn(at, "-");
	name = at + lang + (at[lang] == '-');
	n = strcspn(name, " ");
	if (!lang || lang >= sizeof(ret->lang) || !n || n > CONTEXT_NAME_MAX)
		return false;
	memcpy(ret->lang, at, lang);
	memcpy(ret->name, name, n);
	return context_is_name(ret->name);
}

static bool is_in(const struct live_run *run, const char *box_id)
{
	const char *box = json_string_value(json_object_get(run->about, "box"));

	return box && !strcmp(box, box_id);
}

static bool is_interpreter(const struct live_run *run)
{
	return json_is_true(json_object_get(run->about, "interpreter"));
}

/* Whoever started them. */
static int look(struct live_run **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist ids = { 0 };
	int r = box_runs_present(&ids, e);

	return r < 0 ? r : live_runs_look(&ids, ret, ret_n, e);
}

int contexts_look(const char *box_id, struct context_there **ret, size_t *ret_n, struct aisbx_error *e)
{
	struct context_there *list = NULL;
	struct live_run *runs = NULL;
	size_t n = 0, found = 0;
	int r = look(&runs, &n, e);

	if (r == 0 && n && !(list = calloc(n, sizeof(*list))))
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "list the interpreters");
	for (size_t i = 0; r == 0 && list && i < n; i++) {
		struct context_there *c = &list[found];

		/* The first of a box stays after its end, until those that joined it have ended. */
		if (!is_in(&runs[i], box_id) || !is_interpreter(&runs[i]) ||
		    runs[i].status.state == RUN_ENDING)
			continue;
		*c = (struct context_there){ .started_ms = json_integer_value(
						     json_object_get(runs[i].about, "started_ms")) };
		snprintf(c->run, sizeof(c->run), "%s", runs[i].id);
		found += read_command(json_string_value(json_object_get(runs[i].about, "command")), c);
	}
	live_runs_finish(runs, n);
	if (r < 0)
		return r;
	*ret = list;
	*ret_n = found;
	return 0;
}

int box_contexts_idle(const char *box_id, struct strlist *ret_runs, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist found = { 0 };
	struct live_run *runs = NULL;
	bool others = false;
	size_t n = 0;
	int r = look(&runs, &n, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		if (!is_in(&runs[i], box_id))
			continue;
		others |= !is_interpreter(&runs[i]);
		strlist_add(&found, runs[i].id);
	}
	live_runs_finish(runs, n);
	for (size_t i = 0; r == 0 && !others && i < found.n; i++)
		strlist_add(ret_runs, found.items[i]);
	return r == 0 && (ret_runs->failed || found.failed)
		       ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "list the interpreters")
		       : r;
}

int box_contexts_stop(const struct strlist *runs, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < runs->n; i++) {
		scoped(drop_fd) int fd = -1;

		r = live_run_connect(runs->items[i], &fd, e);
		if (r == 0)
			r = run_ask_end(fd, e);
		if (r == -ESTALE || (r == -ENOENT && !e->code)) { /* it ended meanwhile */
			*e = (struct aisbx_error)AISBX_ERROR_INIT;
			r = 0;
		}
	}
	for (size_t i = 0; r == 0 && i < runs->n;
	     i++) /* the first of a box ends after those that joined it */
		r = live_run_await(runs->items[i], ENDING_MS, e);
	return r;
}
