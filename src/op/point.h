/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on boxes share: saying one as JSON. */
#ifndef OP_POINT_H
#define OP_POINT_H

#include "box/named.h"
#include "op/op.h"

json_t *box_json(const struct store_box *b);
json_t *snapshot_json(const struct store_snapshot *s);

#define BOX_FIELDS(at)                                                                               \
	{ at "id", "string", "of the box; stays the same", .model = true },                          \
		{ at "name", "string", "can be changed", .model = true },                            \
		{ at "project", "string|null", "directory of the host it was cloned from, writable", \
		  .model = true },                                                                   \
		{ at "profile", "string", "what its runs may do unless they say otherwise" },        \
		{ at "created_ms", "integer", "milliseconds since 1970" },                           \
		{ at "expires_ms", "integer|null", "when gc removes it" },                           \
		{ at "snapshots", "integer", "how many it has", .model = true },                     \
		{ at "autosnap", "boolean", "a snapshot after each run that changed something" },    \
		{ at "owner", "string|null", "the session or token that made it; null: a person" },  \
	{                                                                                            \
		at "shared", "boolean", "others than its owner have it, too"                         \
	}

#define SNAPSHOT_FIELDS(at)                                                                     \
	{ at "id", "string", "of the snapshot" }, { at "name", "string", "unique in its box" }, \
		{ at "box", "string", "id of the box" },                                        \
		{ at "created_ms", "integer", "milliseconds since 1970" },                      \
	{                                                                                       \
		at "automatic", "boolean", "taken by aisbx itself"                              \
	}

#endif
