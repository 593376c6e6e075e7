/* SPDX-License-Identifier: Apache-2.0 */
/* Live runs as people see them: of one project, with the names of their boxes. */
#include <string.h>

#include "base/scope.h"
#include "box/live_run.h"
#include "box/owner.h"

static const char *about(const struct live_run *r, const char *key)
{
	const char *text = json_string_value(json_object_get(r->about, key));

	return text ? text : "";
}

/* One that does not answer may be of any: it is shown everywhere. */
static size_t keep_of(const char *project, struct live_run *runs, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!runs[i].about || !strcmp(about(&runs[i], "project"), project))
			runs[kept++] = runs[i];
		else
			json_decref(runs[i].about);
	return kept;
}

static void name_boxes(struct live_run *runs, size_t n)
{
	scoped(box_state_close) struct box_state state = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT; /* its id will do */

	for (size_t i = 0; i < n; i++) {
		scoped(store_box_finish) struct store_box box = { 0 };

		if (!*about(&runs[i], "box") || (!state.dir && box_state_open(&state, &ignored) < 0))
			continue;
		if (box_find(&state, about(&runs[i], "box"), &box, &ignored) == 0)
			memcpy(runs[i].box_name, box.name, sizeof(runs[i].box_name));
	}
}

int live_runs_of(const char *project, struct live_run **ret, size_t *ret_n, size_t *ret_others,
		 struct aisbx_error *e)
{
	size_t all;
	int r = live_runs_look(NULL, ret, ret_n, e);

	if (r < 0)
		return r;
	all = *ret_n;
	if (project)
		*ret_n = keep_of(project, *ret, all);
	*ret_others = all - *ret_n;
	name_boxes(*ret, *ret_n);
	return 0;
}
