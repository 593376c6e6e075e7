/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of an image as JSON. */
#include "op/policy_json.h"

json_t *op_policy_json(const struct image_told *t)
{
	json_t *caps = t->has_caps ? json_array() : json_null();

	for (size_t i = 0; i < t->caps.n; i++)
		json_array_append_new(caps, json_string(t->caps.items[i]));
	if (t->any)
		return json_pack("{s:o, s:s?, s:s?}", "caps", caps, "seccomp", t->seccomp, "net", t->net);
	json_decref(caps);
	return json_null();
}
