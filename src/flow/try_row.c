/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments in the store: their start and their outcome. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"
#include "flow/try.h"

int try_write_down(const struct try_judge *j, const char *id, const char *state,
		   const struct try_approaches *a, const struct strlist *boxes, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state box_state = { 0 };
	scoped(drop_mem) char *how = try_judge_text(j, !strcmp(state, "open"));
	scoped(drop_mem) struct store_branch *rows = calloc(a->n, sizeof(*rows));
	struct store_experiment x = { .name = j->experiment ? j->experiment : "",
				      .project = j->dir,
				      .how = how,
				      .created_ms = box_now_ms(),
				      .branches = rows,
				      .n_branches = a->n };
	int r;

	if (!how || !rows)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "record the experiment");
	snprintf(x.id, sizeof(x.id), "%s", id);
	snprintf(x.state, sizeof(x.state), "%s", state);
	snprintf(x.mode, sizeof(x.mode), "%s", project_mode_names[j->mode]);
	snprintf(x.owner, sizeof(x.owner), "%s", box_acting_for() ? box_acting_for() : "");
	for (size_t i = 0; i < a->n; i++) {
		const struct try_approach *b = &a->items[i];

		rows[i] = (struct store_branch){ .name = b->name,
						 .command = b->command ? b->command : "",
						 .state = "waiting" };
		snprintf(rows[i].box, sizeof(rows[i].box), "%s", boxes ? boxes->items[i] : "");
	}
	r = box_state_open(&box_state, e);
	return r < 0 ? r : store_experiment_add(box_state.store, &x, e);
}

void try_write_end(const char *id, const char *state, json_t *result)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(box_state_close) struct box_state box_state = { 0 };
	scoped(drop_mem) char *text = NULL;
	json_t *record;
	bool ended;
	size_t i;

	json_array_foreach(json_object_get(result, "branches"), i, record)
	{
		json_object_del(record, "stdout_tail");
		json_object_del(record, "stderr_tail");
	}
	text = json_dumps(result, JSON_COMPACT);
	if (text && box_state_open(&box_state, &ignored) == 0)
		store_experiment_end(box_state.store, id, state, text, box_now_ms(), &ended, &ignored);
	json_decref(result);
}
