/* SPDX-License-Identifier: Apache-2.0 */
/* How conflicts are resolved, and the outcome, as JSON: for promote, undo and combine. */
#ifndef OP_MERGE_JSON_H
#define OP_MERGE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "promote/promote.h"
#include "op/long_list.h"
#include "op/path_json.h"

/* Touched directories are noise: every new entry touches its directory. */
bool op_is_news(const struct merge_step *s);

/* Adds "ignored": how many files were left out because git ignores them. */
void op_add_ignored(const struct box_ignored *left, json_t *result);

#define IGNORED_FIELDS                                                             \
	{ "ignored", "object", "left out because git ignores it", .model = true }, \
		{ "ignored.files", "integer", "files and links" },                 \
	{                                                                          \
		"ignored.bytes", "integer", "bytes in them"                        \
	}

/* Values of --conflict if conflict markers, or a second file, make no sense. */
extern const char *const op_resolutions[];
/* The value of --conflict; default: stop. */
enum merge_resolution op_resolution(const json_t *args);

/* Adds "changes" and "conflicts". */
void op_add_outcomes(const struct merge_plan *plan, enum merge_resolution resolution, json_t *result);

#define OUTCOME_FIELDS                                                                                \
	{ "changes", "array", "a directory before what is in it", .model = true },                    \
		PATH_FIELDS("changes[].", "relative to the target"),                                  \
		{ "changes[].kind", "string",                                                         \
		  "what the box did: created, modified, deleted, replaced, mode, xattr or touched" }, \
		{ "changes[].type", "string", "file, directory, symlink, fifo, socket or device" },   \
		{ "changes[].outcome", "string", "apply, merge or conflict" },                        \
		{ "conflicts", "array", "each path once", .model = true },                            \
		PATH_FIELDS("conflicts[].", "relative to the target"),                                \
		{ "conflicts[].box", "string", "what the box did" },                                  \
		{ "conflicts[].host", "string", "what changed on the other side meanwhile" },         \
		{ "conflicts[].reason", "string", "an explanation for people", .model = true },       \
		{ "conflicts[].resolution", "string", "the choice made with --conflict" }, MORE_FIELDS

#endif
