/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in answers without digits that nobody measured. */
#include <stdint.h>

#include "op/op.h"

static double rounded(double x)
{
	double unit = x > -1 && x < 1 ? 1e6 : 1e3;

	if (!(x > -1e12 && x < 1e12)) /* also what is no number */
		return x;
	return (double)(int64_t)(x * unit + (x < 0 ? -0.5 : 0.5)) / unit;
}

void op_round(json_t *value)
{
	const char *key;
	json_t *member;
	size_t i;

	if (json_is_real(value))
		json_real_set(value, rounded(json_real_value(value)));
	else if (json_is_array(value))
		json_array_foreach(value, i, member) op_round(member);
	else if (json_is_object(value))
		json_object_foreach(value, key, member) op_round(member);
}
