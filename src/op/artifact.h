/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations on artifacts share. */
#ifndef OP_ARTIFACT_H
#define OP_ARTIFACT_H

#include "artifact/artifact.h"
#include "op/op.h"

/* The one that the argument "artifact" means. */
int op_artifact_find(const json_t *args, struct artifact *ret, struct aisbx_error *e);
json_t *op_artifact_json(const struct store_saved_artifact *row);

#define ARTIFACT_PARAM                                                                \
	{                                                                             \
		"artifact", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "ARTIFACT",    \
			"id or name; if several artifacts have that name, the newest" \
	}

#define ARTIFACT_FIELDS(at)                                                                                 \
	{ at "id", "string", "artifact id", .model = true },                                                \
		{ at "name", "string", "several artifacts can have the same name; it refers to the newest", \
		  .model = true },                                                                          \
		{ at "note", "string|null", "the note given when it was saved" },                           \
		{ at "box", "string", "id of the box it comes from, which may have been removed" },         \
		{ at "box_name", "string", "name of the box at that time" },                                \
		{ at "run", "string|null", "the newest run of that box at that time" },                     \
		{ at "path", "string", "path in the box" },                                                 \
		{ at "type", "string", "file or directory", .model = true },                                \
		{ at "sha256", "string",                                                                    \
		  "of the content of a file, or of everything that is stored of a directory" },             \
		{ at "size", "integer", "bytes stored", .model = true },                                    \
		{ at "files", "integer", "files and links stored" },                                        \
		{ at "media", "string", "type of the content, such as image/png", .model = true },          \
		{ at "mode", "string", "permissions, octal" },                                              \
	{                                                                                                   \
		at "created_ms", "integer", "when it was saved, in milliseconds since 1970"                 \
	}

#endif
