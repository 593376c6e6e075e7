/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments into the store: when one begins, and how it ended. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"
#include "op/try.h"

static char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return (char *)(s ? s : "");
}

/*
 * Of one that nobody judges later it is not kept how its commands are run: variables may be secret. Heap, or
 * NULL.
 */
static char *kept_how(json_t *how, bool whole)
{
	json_t *copy = json_copy(how);
	char *text;

	if (!whole)
		json_object_del(copy, "run");
	text = json_dumps(copy, JSON_COMPACT);
	json_decref(copy);
	return text;
}

int try_write_down(const struct try_judge *j, const char *id, const char *name, const char *state,
		   const json_t *branches, const json_t *boxes, struct aisbx_error *e)
{
	const size_t n = json_array_size(branches);
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(drop_mem) char *how = kept_how(j->how, !strcmp(state, "open"));
	scoped(drop_mem) struct store_branch *rows = calloc(n, sizeof(*rows));
	struct store_experiment x = { .name = (char *)name,
				      .project = text_of(j->how, "project"),
				      .how = how,
				      .created_ms = box_now_ms(),
				      .branches = rows,
				      .n_branches = n };
	int r;

	if (!how || !rows)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the experiment down");
	snprintf(x.id, sizeof(x.id), "%s", id);
	snprintf(x.state, sizeof(x.state), "%s", state);
	snprintf(x.mode, sizeof(x.mode), "%s", text_of(j->how, "mode"));
	snprintf(x.owner, sizeof(x.owner), "%s", box_acting_for() ? box_acting_for() : "");
	for (size_t i = 0; i < n; i++) {
		const json_t *b = json_array_get(branches, i);

		rows[i] = (struct store_branch){ .name = text_of(b, "name"),
						 .command = text_of(b, "command"),
						 .state = "waiting" };
		snprintf(rows[i].box, sizeof(rows[i].box), "%s", text_of(json_array_get(boxes, i), "id"));
	}
	r = box_shelf_open(&shelf, e);
	return r < 0 ? r : store_experiment_add(shelf.store, &x, e);
}

void try_write_end(const char *id, const json_t *result)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	json_t *copy = json_deep_copy(result), *record;
	scoped(drop_mem) char *text = NULL;
	bool ended;
	size_t i;

	json_array_foreach(json_object_get(copy, "branches"), i, record)
	{
		json_object_del(record, "stdout_tail");
		json_object_del(record, "stderr_tail");
	}
	text = json_dumps(copy, JSON_COMPACT);
	if (text && box_shelf_open(&shelf, &ignored) == 0)
		store_experiment_end(shelf.store, id, text_of(result, "state"), text, box_now_ms(), &ended,
				     &ignored);
	json_decref(copy);
}
