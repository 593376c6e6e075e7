/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, sizes and times out of JSON. */
#include "op/value.h"

#include "base/str.h"

/* Some 30,000 years: what is longer is for ever, and no arithmetic on it overflows. */
#define MAX_MS 1000000000000000.0

bool op_value_ms(const json_t *v, uint64_t *ret)
{
	double ms;

	if (!json_is_number(v))
		return v && str_to_ms(json_string_value(v), ret);
	ms = json_number_value(v) * 1000;
	*ret = (uint64_t)(ms < MAX_MS ? ms : MAX_MS);
	*ret += (double)*ret < ms && ms < MAX_MS; /* up: a small limit must not become 0, "none" */
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
