/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on templates share: saying one as JSON. */
#ifndef OP_TEMPLATE_H
#define OP_TEMPLATE_H

#include "box/template.h"
#include "op/op.h"

json_t *op_template_json(const struct box_template *t);

#define TEMPLATE_FIELDS(at)                                                                           \
	{ at "name", "string", "its name; OWNER/NAME if it belongs to another", .model = true },      \
		{ at "owner", "string|null", "the session or token that made it; null: a person" },   \
		{ at "profile", "string", "profile of its boxes, unless another is chosen" },         \
		{ at "image", "string|null", "image that it stands on; null: this machine" },         \
		{ at "project", "string|null", "project whose changes it has, too; null: of none" },  \
		{ at "net", "array", "what its boxes may reach, as for --net" },                      \
		{ at "created_ms", "integer", "milliseconds since 1970" },                            \
		{ at "expires_ms", "integer|null", "when gc removes it" },                            \
		{ at "shared", "boolean", "sessions of agents may use it, too" },                     \
		{ at "recipe", "string|null", "recipe that it was built by; null: saved or pulled" }, \
		{ at "pulled", "object|null",                                                         \
		  "what came with it from a registry: nothing of it is granted; null: made here" },   \
		{ at "pulled.reference", "string", "where it came from" },                            \
		{ at "pulled.digest", "string", "SHA-256 of its manifest" },                          \
		{ at "pulled.profile", "string|null", "profile that it had" },                        \
		{ at "pulled.net", "array", "what its boxes could reach; give it with --net" },       \
		{ at "pulled.recipe", "string|null", "recipe that it was built by there" },           \
	{                                                                                             \
		at "pulled.lock", "string|null", "SHA-256 of recipe, lock and base there"             \
	}

#endif
