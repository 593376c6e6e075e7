/* SPDX-License-Identifier: Apache-2.0 */
/* What `show` and `image show` share: the policy of an image as JSON. */
#ifndef OP_POLICY_JSON_H
#define OP_POLICY_JSON_H

#include "box/image_told.h"
#include "op/op.h"

#define POLICY_FIELDS                                                                                 \
	{ "policy", "object|null", "what runs on this image have at most; null: it says nothing" },   \
		{ "policy.caps", "array|null", "capabilities; null: it says nothing about them" },    \
		{ "policy.seccomp", "string|null", "preset of system calls; null: it says nothing" }, \
	{                                                                                             \
		"policy.net", "string|null", "none, loopback or any; null: it says nothing"           \
	}

json_t *op_policy_json(const struct image_told *t);

#endif
