/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations on images share. */
#ifndef OP_IMAGE_H
#define OP_IMAGE_H

#include "box/image_import.h"
#include "box/image_out.h"
#include "op/op.h"

#define IMAGE_PARAM                                                                             \
	{                                                                                       \
		"image", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "IMAGE",                    \
			"name, id, or digest or the beginning of it; 'debian' means "           \
			"'docker.io/library/debian:latest' unless an image is called that here" \
	}
#define PLATFORM_PARAM                                                                                \
	{                                                                                             \
		"platform", 0, OP_STRING, 0, "PLATFORM",                                              \
			"of an image for several: OS/ARCHITECTURE; default: this machine's, such as " \
			"linux/amd64"                                                                 \
	}
#define NO_BLOBS_PARAM                                                                                       \
	{                                                                                                    \
		"no-blobs", 0, OP_FLAG, 0, NULL,                                                             \
			"keep only the unpacked files, not the compressed layers: takes less disk, but the " \
			"image cannot be pushed, saved or packed again"                                      \
	}

/* Fields of an image, behind AT. */
#define IMAGE_FIELDS(at)                                                                             \
	{ at "id", "string", "image id" }, { at "digest", "string", "SHA-256 of its manifest" },     \
		{ at "name", "string",                                                               \
		  "one of its names: the one that was given now, or the first; \"\": it has none" }, \
		{ at "names", "array", "what it is called here" },                                   \
		{ at "source", "string", "reference, file or box that it comes from" },              \
		{ at "platform", "string", "operating system and architecture" },                    \
		{ at "size", "integer", "bytes of its blobs" },                                      \
	{                                                                                            \
		at "created_ms", "integer", "when it was added here, in milliseconds since 1970"     \
	}

/* The JSON object of one. */
json_t *op_image_json(const struct store_image *i);
/* The result of a push; frees what DONE owns. */
json_t *op_pushed_json(struct image_pushed *done);
#define PULL_PARAM                                                                                  \
	{                                                                                           \
		"pull", 0, OP_FLAG, 0, NULL,                                                        \
			"bring the image from its registry if it is not here, as 'image pull' does" \
	}
/*
 * Of an operation with PULL_PARAM, when it is given: TEXT is what a box is to stand on, and if nothing is
 * called that here, an image of that name is pulled. ANY: it may be a template or a box, too.
 */
int op_pull_missing(struct op_context *ctx, const json_t *args, const char *text, bool any,
		    struct aisbx_error *e);
/* Options that all have: progress is reported like everything that comes before a result. */
struct image_import op_image_how(struct op_context *ctx, const json_t *args);

#endif
