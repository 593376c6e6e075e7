/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lists of public keys. */
#include "fleet/agent/key_list.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "fleet/core/memory.h"

static int refuse(const char *path, const char *what, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "%s is no list of public keys of a fleet: %s; 'fleet-users' writes it", path,
			    what);
}

static int add(struct key_list *list, const char *path, const char *name, const json_t *key,
	       struct aisbx_error *e)
{
	struct key_named *items = realloc(list->items, (list->n + 1) * sizeof(*items));
	const char *text = json_string_value(key);

	if (!items)
		fleet_out_of_memory();
	list->items = items;
	items[list->n] = (struct key_named){ 0 };
	if (!fleet_is_name(name))
		return refuse(path, "a name in it is none", e);
	if (!text || key_public_read(text, &items[list->n].key, e) < 0)
		return refuse(path, "a key in it is no Ed25519 key in base64", e);
	snprintf(items[list->n++].name, FLEET_NAME, "%s", name);
	return 0;
}

int key_list_read(const char *path, struct key_list *ret, struct aisbx_error *e)
{
	json_error_t wrong;
	json_t *file = json_load_file(path, JSON_REJECT_DUPLICATES, &wrong);
	struct key_list list = { 0 };
	const char *name;
	const json_t *keys, *key;
	size_t i;
	int r = 0;

	if (!json_is_object(file))
		r = refuse(path, file ? "it is no object" : wrong.text, e);
	json_object_foreach(file, name, keys)
	{
		if (r == 0 && !json_is_array(keys))
			r = refuse(path, "it is not {\"NAME\": [\"KEY\"]}", e);
		json_array_foreach(keys, i, key)
		{
			if (r == 0)
				r = add(&list, path, name, key, e);
		}
	}
	if (r == 0 && !list.n)
		r = refuse(path, "it holds none", e);
	json_decref(file);
	if (r < 0)
		key_list_finish(&list);
	else
		*ret = list;
	return r;
}

void key_list_finish(struct key_list *list)
{
	free(list->items);
	*list = (struct key_list){ 0 };
}
