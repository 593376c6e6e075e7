/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on the files of a box share: arguments, and results without secrets. */
#ifndef OP_FILE_H
#define OP_FILE_H

#include "box/file_act.h"
#include "op/op.h"

/* The argument NAME. */
struct box_path op_file_path(const json_t *args, const char *name);
/* Prepares ACT on the arguments "box" and "path". */
int op_file_begin(const struct op_context *ctx, const json_t *args, enum file_act act, struct box_act *a,
		  struct aisbx_error *e);
/* {"path", "type", "size", "mode", "mtime_ms", "sha256"} of the file of the answer. */
json_t *op_file_json(const struct box_act *a);
/* Adds the common fields to RESULT, and removes secrets from all its texts. */
void op_file_conclude(struct box_act *a, json_t *result);
/* KEY: arbitrary bytes as text, or null and KEY_hex. */
void op_file_set_text(json_t *object, const char *key, const char *data, size_t len);

/* file_read.c: arguments to a piece; an answer to the result of a read. */
struct box_window op_file_window(const json_t *args);
int op_file_content(struct box_act *a, const json_t *args, json_t **ret_result, struct aisbx_error *e);

extern const char *const op_file_encodings[];

/* file_picture.c: of a piece that was read, from the beginning; NULL: it is no picture. */
const char *op_file_picture_type(const struct box_act *a);
/* All of it in base64, with its type; more bytes than this are refused. */
#define OP_PICTURE_MAX (512u << 10)
int op_file_picture(struct op_context *ctx, const json_t *args, const char *media, json_t **ret_result,
		    struct aisbx_error *e);

/* Which part, and its encoding. */
#define FILE_WINDOW_PARAMS                                                        \
	{ "from", 0, OP_NUMBER, OP_MODEL, "LINE", "first line, counted from 1" }, \
		{ "count", 0, OP_NUMBER, OP_MODEL, "N", "number of lines" }, FILE_BYTES_PARAMS
#define FILE_BYTES_PARAMS                                                                               \
	{ "offset", 0, OP_SIZE, OP_MODEL, "N", "first byte, counted from 0" },                          \
		{ "limit", 0, OP_SIZE, 0, "N", "maximum number of bytes; default: 1m, at most 16m" },   \
	{                                                                                               \
		"encoding", 0, OP_CHOICE, OP_MODEL, "ENCODING",                                         \
			"of the content: utf-8 (default; fails for files that are not text) or base64", \
			op_file_encodings                                                               \
	}

#define FILE_BOX_PARAM                                                                \
	{                                                                             \
		"box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED | OP_CURRENT, "BOX", \
			"name or id of the box"                                       \
	}
#define FILE_PATH_PARAM(need, what)                                                                  \
	{                                                                                            \
		"path", 0, OP_STRING, OP_POSITIONAL | ((need) ? OP_REQUIRED : 0) | OP_MODEL, "PATH", \
			what "; in the box, relative to the project unless it begins with /"         \
	}

#define FILE_FIELDS                                                                                          \
	{ "path", "string", "absolute path in the box", .model = true },                                     \
		{ "type", "string", "file, directory, link or other" },                                      \
		{ "size", "integer", "bytes", .model = true }, { "mode", "string", "permissions, octal" },   \
		{ "mtime_ms", "integer", "modification time, in milliseconds since 1970" },                  \
	{                                                                                                    \
		"sha256", "string|null", "of the content; null if it is not a file, or larger than 256 MiB", \
			.model = true                                                                        \
	}
#define FILE_COMMON_FIELDS                                                                                  \
	{ "violations", "array", "only present if a decoy was opened: as in the result of run" },           \
	{                                                                                                   \
		"snapshot_error", "string", "only present if the automatic snapshot of the box failed: why" \
	}

#endif
