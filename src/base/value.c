/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, sizes and times from JSON. */
#include "base/value.h"

#include "base/str.h"

/* Some 30,000 years: what is longer is for ever, and no arithmetic on it overflows. */
#define MAX_MS 1000000000000000.0

static uint64_t thousandths(const json_t *v)
{
	double value = json_number_value(v) * 1000;
	uint64_t whole = (uint64_t)(value < MAX_MS ? value : MAX_MS);

	return whole +
	       ((double)whole < value && value < MAX_MS); /* up: a small limit must not become 0, "none" */
}

/* A text, or a number that is not negative and, if WHOLE, has no fraction; FROM_TEXT reads the former. */
static bool read_value(const json_t *v, bool whole, bool (*from_text)(const char *text, uint64_t *ret),
		       uint64_t *ret)
{
	if (json_is_string(v))
		return from_text(json_string_value(v), ret);
	if (!(whole ? json_is_integer(v) : json_is_number(v)) || json_number_value(v) < 0)
		return false;
	*ret = whole ? (uint64_t)json_integer_value(v) : thousandths(v);
	return true;
}

bool value_ms(const json_t *v, uint64_t *ret)
{
	return read_value(v, false, str_to_ms, ret);
}

bool value_cores(const json_t *v, uint64_t *ret)
{
	return read_value(v, false, str_to_milli, ret);
}

bool value_size(const json_t *v, uint64_t *ret)
{
	return read_value(v, true, str_to_size, ret);
}

bool value_number(const json_t *v, uint64_t *ret)
{
	return read_value(v, true, str_to_u64, ret);
}

void value_list(const json_t *v, struct strlist *ret)
{
	const json_t *item;
	size_t i;

	json_array_foreach(v, i, item) strlist_add(ret, json_string_value(item));
}

json_t *value_list_json(const struct strlist *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(list, json_string(l->items[i]));
	return list;
}
