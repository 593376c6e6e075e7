/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on templates share: saying one as JSON. */
#ifndef OP_TEMPLATE_H
#define OP_TEMPLATE_H

#include "box/template.h"
#include "op/op.h"

json_t *op_template_json(const struct box_template *t);

#define TEMPLATE_FIELDS(at)                                                                          \
	{ at "name", "string", "its name; OWNER/NAME if it belongs to another", .model = true },     \
		{ at "owner", "string|null", "the session or token that made it; null: a person" },  \
		{ at "profile", "string", "profile of its boxes, unless another is chosen" },        \
		{ at "image", "string|null", "image that it stands on; null: this machine" },        \
		{ at "project", "string|null", "project whose changes it has, too; null: of none" }, \
		{ at "net", "array", "what its boxes may reach, as for --net" },                     \
		{ at "created_ms", "integer", "milliseconds since 1970" },                           \
		{ at "expires_ms", "integer|null", "when gc removes it" },                           \
		{ at "shared", "boolean", "sessions of agents may use it, too" },                    \
	{                                                                                            \
		at "recipe", "string|null", "recipe that it was built by; null: saved from a box"    \
	}

#endif
