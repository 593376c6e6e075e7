/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on boxes share: saying one as JSON. */
#ifndef OP_BOX_JSON_H
#define OP_BOX_JSON_H

#include "box/lookup.h"
#include "op/op.h"

json_t *box_json(const struct store_box *b);
/* METADATA NULL: none. */
void box_json_note(json_t *box, const json_t *metadata);
#define METADATA_PARAM(words)                                 \
	{                                                     \
		"metadata", 0, OP_LIST, 0, "KEY=VALUE", words \
	}
#define METADATA_FIELD(at)                                                                            \
	{                                                                                             \
		at "metadata", "object", "what was noted of it when it was made: texts by their keys" \
	}
json_t *snapshot_json(const struct store_snapshot *s);

#define BOX_FIELDS(at)                                                                                  \
	{ at "id", "string", "box id; never changes", .model = true },                                  \
		{ at "name", "string", "can be changed", .model = true },                               \
		{ at "project", "string|null", "directory of the host that it clones as writable",      \
		  .model = true },                                                                      \
		{ at "image", "string|null", "id of the image that it stands on; null: this machine" }, \
		{ at "profile", "string", "profile of its runs, unless they choose another" },          \
		{ at "created_ms", "integer", "milliseconds since 1970" },                              \
		{ at "expires_ms", "integer|null", "when gc removes it" },                              \
		{ at "snapshots", "integer", "number of snapshots", .model = true },                    \
		{ at "autosnap", "boolean", "a snapshot after each run that changed something" },       \
		{ at "owner", "string|null", "the session or token that made it; null: a person" },     \
	{                                                                                               \
		at "shared", "boolean", "others than its owner have access, too"                        \
	}

#define SNAPSHOT_FIELDS(at)                                                                     \
	{ at "id", "string", "snapshot id" }, { at "name", "string", "unique within its box" }, \
		{ at "box", "string", "id of the box" },                                        \
		{ at "created_ms", "integer", "milliseconds since 1970" },                      \
	{                                                                                       \
		at "automatic", "boolean", "aisbx took it automatically"                        \
	}

#endif
