/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of boxes, from arguments to the store and back. */
#include "box/metadata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"

static void drop_json(json_t **j)
{
	json_decref(*j);
}

/* TEXT as a pair; the key is a piece of it. */
static int split(const char *text, size_t *ret_key, struct aisbx_error *e)
{
	size_t n = strcspn(text, "=");

	if (!n || !text[n])
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.100s' is not of the form KEY=VALUE, such as --metadata user=ann",
				    text);
	if (n > BOX_METADATA_KEY)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, E2BIG,
				    "the key '%.40s...' of metadata has %zu bytes, and at most %u are "
				    "allowed",
				    text, n, BOX_METADATA_KEY);
	*ret_key = n;
	return 0;
}

int box_metadata_check(const struct strlist *wanted, struct aisbx_error *e)
{
	size_t n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < wanted->n; i++)
		r = split(wanted->items[i], &n, e);
	return r;
}

static int gather(const struct strlist *given, json_t *ret, struct aisbx_error *e)
{
	for (size_t i = 0; i < given->n; i++) {
		scoped(drop_mem) char *key = NULL;
		json_t *value;
		size_t n = 0;
		int r = split(given->items[i], &n, e);

		if (r < 0)
			return r;
		key = strndup(given->items[i], n);
		value = json_string(given->items[i] + n + 1);
		if (!key || !value || json_object_set_new(ret, key, value) < 0)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
					    "metadata must be UTF-8, and '%.100s' is not", given->items[i]);
	}
	if (json_object_size(ret) > BOX_METADATA_MOST)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, E2BIG,
				    "a box has metadata of at most %u keys, not %zu", BOX_METADATA_MOST,
				    json_object_size(ret));
	return 0;
}

int box_metadata_settle(const struct strlist *given, char **ret, struct aisbx_error *e)
{
	scoped(drop_json) json_t *map = json_object();
	scoped(drop_mem) char *text = NULL;
	int r = map ? gather(given, map, e) : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "store metadata");

	if (r < 0)
		return r;
	text = json_object_size(map) ? json_dumps(map, JSON_COMPACT | JSON_SORT_KEYS) : strdup("");
	if (!text)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "store metadata");
	if (strlen(text) > BOX_METADATA_BYTES)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, E2BIG,
				    "the metadata of a box has at most %u bytes, not %zu; put what is long "
				    "into a file of the box",
				    BOX_METADATA_BYTES, strlen(text));
	*ret = take_mem(&text);
	return 0;
}

bool box_metadata_has(const json_t *metadata, const struct strlist *wanted)
{
	for (size_t i = 0; i < wanted->n; i++) {
		size_t n = strcspn(wanted->items[i], "=");
		scoped(drop_mem) char *key = strndup(wanted->items[i], n);
		const char *value = key ? json_string_value(json_object_get(metadata, key)) : NULL;

		if (!value || strcmp(value, wanted->items[i] + n + 1) != 0)
			return false;
	}
	return true;
}

/* What the store has; another aisbx may have written it. */
static json_t *map_of(const char *text)
{
	json_t *map = json_loads(text, 0, NULL);

	if (json_is_object(map))
		return map;
	json_decref(map);
	return NULL;
}

int box_metadata_of(struct box_state *s, const char *box, json_t **ret, struct aisbx_error *e)
{
	scoped(box_metadata_finish) struct box_metadata_all one = { 0 };
	int r = store_metadata_list(s->store, box, &one.rows, &one.n, e);

	if (r == 0)
		*ret = one.n ? map_of(one.rows[0].text) : NULL;
	return r;
}

void box_metadata_finish(struct box_metadata_all *all)
{
	store_metadata_finish(all->rows, all->n);
	*all = (struct box_metadata_all){ 0 };
}

int box_metadata_read(struct box_state *s, struct box_metadata_all *ret, struct aisbx_error *e)
{
	return store_metadata_list(s->store, NULL, &ret->rows, &ret->n, e);
}

static int compare(const void *key, const void *row)
{
	return strcmp(key, ((const struct store_metadata *)row)->box);
}

json_t *box_metadata_in(const struct box_metadata_all *all, const char *box)
{
	const struct store_metadata *found =
		all->n ? bsearch(box, all->rows, all->n, sizeof(*all->rows), compare) : NULL;

	return found ? map_of(found->text) : NULL;
}
