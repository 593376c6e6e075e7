/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of an image as JSON. */
#include "op/policy_json.h"

#include "base/value.h"

json_t *op_policy_json(const struct image_told *t)
{
	json_t *caps = t->has_caps ? value_list_json(&t->caps) : json_null();

	if (t->any)
		return json_pack("{s:o, s:s?, s:s?}", "caps", caps, "seccomp", t->seccomp, "net", t->net);
	json_decref(caps);
	return json_null();
}
