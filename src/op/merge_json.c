/* SPDX-License-Identifier: Apache-2.0 */
/* The option --conflict, and the steps of a merge as lists of changes and conflicts. */
#include "op/merge_json.h"

#include <string.h>

const char *const op_resolutions[] = { "stop", "keep", "overwrite", NULL };

enum merge_resolution op_resolution(const json_t *args)
{
	return merge_resolution_by_name(json_string_value(json_object_get(args, "conflict")));
}

bool op_is_news(const struct merge_step *s)
{
	return s->box != CHANGE_TOUCH || !S_ISDIR(s->now.st_mode);
}

static void describe_change(const struct merge_step *s, json_t *j)
{
	json_object_set_new(j, "kind", json_string(change_kind_name(s->box)));
	json_object_set_new(j, "type",
			    json_string(change_type_name(s->now.st_mode ? s->now.st_mode : s->old.st_mode)));
	json_object_set_new(j, "outcome", json_string(merge_outcome_name(s->outcome)));
}

static void describe_conflict(const struct merge_step *s, enum merge_resolution resolution, json_t *j)
{
	json_object_set_new(j, "box", json_string(change_kind_name(s->box)));
	json_object_set_new(j, "host", json_string(change_kind_name(s->host)));
	json_object_set_new(j, "reason", json_string(s->reason ? s->reason : ""));
	json_object_set_new(j, "resolution", json_string(merge_resolution_name(resolution)));
}

void op_add_outcomes(const struct merge_plan *plan, enum merge_resolution resolution, json_t *result)
{
	struct op_list changes = OP_LIST_INIT(OP_LIST_LONG), conflicts = OP_LIST_INIT(OP_LIST_SHORT);

	for (size_t i = 0; i < plan->n; i++) {
		const struct merge_step *s = &plan->steps[i];
		json_t *j = s->outcome == MERGE_CONFLICT ? op_list_add(&conflicts, s->path) : NULL;

		if (j)
			describe_conflict(s, resolution, j);
		j = op_is_news(s) ? op_list_add(&changes, s->path) : NULL;
		if (j)
			describe_change(s, j);
	}
	op_list_put(&changes, "changes", result);
	op_list_put(&conflicts, "conflicts", result);
}

void op_add_ignored(const struct box_ignored *left, json_t *result)
{
	json_object_set_new(result, "ignored",
			    json_pack("{s:I, s:I}", "files", (json_int_t)left->files, "bytes",
				      (json_int_t)left->bytes));
}
