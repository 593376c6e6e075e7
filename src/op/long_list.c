/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates the memory of an item, and stops in time. */
#include "op/long_list.h"

#include <string.h>

#include "base/memory.h"
#include "op/path_json.h"

/* Of an object with a handful of members, and one of those an object; more than jansson takes. */
#define ITEM 1200
/* Items between two looks at what is held in all. */
#define EVERY 64

json_t *op_list_add(struct op_list *l, const char *path)
{
	size_t cost = ITEM + 2 * strlen(path),
	       n = json_array_size(l->items); /* twice: in hexadecimal when it is no UTF-8 */
	json_t *item;

	if (l->more || cost > l->left || (n && n % EVERY == 0 && memory_is_over(MEMORY_ANSWER))) {
		l->more++;
		return NULL;
	}
	l->left -= cost;
	item = json_object();
	op_set_name(item, "path", path);
	json_array_append_new(l->items, item);
	return item;
}

void op_list_put(struct op_list *l, const char *key, json_t *result)
{
	json_t *more = json_object_get(result, "more");

	json_object_set_new(result, key, l->items);
	l->items = NULL;
	if (!l->more)
		return;
	if (!more) {
		more = json_object();
		json_object_set_new(result, "more", more);
	}
	json_object_set_new(more, key, json_integer(l->more));
}

json_int_t op_list_more(const json_t *result, const char *key)
{
	return json_integer_value(json_object_get(json_object_get(result, "more"), key));
}
