/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the system to JSON. */
#include "op/system_json.h"

#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/scope.h"
#include "base/value.h"
#include "op/long_list.h"

static json_t *packages_json(const struct package_changes *all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->n; i++) {
		const struct package_change *c = &all->items[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:s?, s:s?, s:s}", "name", c->name,
						      "change", package_change_name(c->kind), "version",
						      c->version, "previous", c->previous, "manager",
						      package_manager_name(c->manager)));
	}
	return list;
}

static void add_directories(const struct box_system *s, json_t *system)
{
	struct op_list list = OP_LIST_INIT(OP_LIST_SHORT);

	for (size_t i = 0; i < s->n_dirs; i++) {
		json_t *j = op_list_add(&list, s->dirs[i].path);

		if (j)
			json_object_set_new(j, "files", json_integer((json_int_t)s->dirs[i].files));
	}
	op_list_put(&list, "directories", system);
}

static void add_changes(const struct box_system *s, json_t *system)
{
	struct op_list list = OP_LIST_INIT(OP_LIST_LONG);

	for (size_t i = 0; i < s->n_trees; i++)
		for (size_t k = 0; k < s->trees[i].changes.n; k++) {
			const struct change *c = &s->trees[i].changes.items[k];
			scoped(drop_mem) char *path = path_join(s->trees[i].host, c->path);
			bool own, noise = path && box_system_is_noise(path, &own);
			json_t *j;

			if (!path || c->kind == CHANGE_TOUCH || (noise && own))
				continue;
			j = op_list_add(&list, path);
			if (!j)
				continue;
			json_object_set_new(j, "kind", json_string(change_kind_name(c->kind)));
			json_object_set_new(j, "type",
					    json_string(change_type_name(c->new_mode ? c->new_mode
										     : c->old_mode)));
			json_object_set_new(j, "noise", json_boolean(noise));
		}
	op_list_put(&list, "changes", system);
}

void op_add_system(const struct box_system *s, bool files, json_t *result)
{
	json_t *system;

	if (!s->files && !s->packages.n && !s->noise && !s->users.n) {
		json_object_set_new(result, "system", json_null());
		return;
	}
	system = json_pack("{s:o, s:o, s:I, s:I}", "packages", packages_json(&s->packages), "users",
			   value_list_json(&s->users), "files", (json_int_t)s->files, "noise",
			   (json_int_t)s->noise);
	add_directories(s, system);
	if (files)
		add_changes(s, system);
	json_object_set_new(result, "system", system);
}

void op_add_commands(const struct box_system *s, json_t *result)
{
	scoped(strlist_finish) struct strlist commands = { 0 };

	box_system_commands(&s->packages, &commands);
	json_object_set_new(result, "commands", value_list_json(&commands));
}
