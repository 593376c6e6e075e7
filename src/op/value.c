/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, sizes and times out of JSON. */
#include "op/value.h"

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

bool op_value_ms(const json_t *v, uint64_t *ret)
{
	if (!json_is_number(v))
		return v && str_to_ms(json_string_value(v), ret);
	*ret = thousandths(v);
	return true;
}

bool op_value_cores(const json_t *v, uint64_t *ret)
{
	if (!json_is_number(v))
		return v && str_to_milli(json_string_value(v), ret);
	*ret = thousandths(v);
	return true;
}

bool op_value_size(const json_t *v, uint64_t *ret)
{
	if (!json_is_integer(v))
		return v && str_to_size(json_string_value(v), ret);
	*ret = (uint64_t)json_integer_value(v);
	return true;
}

bool op_value_number(const json_t *v, uint64_t *ret)
{
	if (!json_is_integer(v))
		return v && str_to_u64(json_string_value(v), ret);
	*ret = (uint64_t)json_integer_value(v);
	return true;
}
