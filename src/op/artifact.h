/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations on artifacts share. */
#ifndef OP_ARTIFACT_H
#define OP_ARTIFACT_H

#include "artifact/artifact.h"
#include "op/op.h"

/* The one that the argument "artifact" means. */
int op_artifact_find(const json_t *args, struct artifact *ret, struct aisbx_error *e);
json_t *op_artifact_json(const struct store_saved *row);

#define ARTIFACT_PARAM                                                             \
	{                                                                          \
		"artifact", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "ARTIFACT", \
			"its id, or its name: then the newest of that name"        \
	}

#define ARTIFACT_FIELDS(at)                                                                 \
	{ at "id", "string", "of the artifact" },                                           \
		{ at "name", "string", "can be given to several; the newest is meant" },    \
		{ at "note", "string|null", "what somebody wrote about it" },               \
		{ at "box", "string", "id of the box it comes from, which may be gone" },   \
		{ at "box_name", "string", "of the box then" },                             \
		{ at "run", "string|null", "the newest run of that box then" },             \
		{ at "path", "string", "where it was, in the box" },                        \
		{ at "type", "string", "file or directory" },                               \
		{ at "sha256", "string",                                                    \
		  "of a file: of its content; of a directory: of all that is kept of it" }, \
		{ at "size", "integer", "bytes that are kept" },                            \
		{ at "files", "integer", "files and links in it" },                         \
		{ at "media", "string", "type of the content, such as image/png" },         \
		{ at "mode", "string", "permissions, octal" },                              \
	{                                                                                   \
		at "created_ms", "integer", "when it was kept, milliseconds since 1970"     \
	}

#endif
