/* SPDX-License-Identifier: Apache-2.0 */
/* How a merge is to be decided, and what was, as JSON: for promote, undo and combine. */
#ifndef OP_OUTCOME_H
#define OP_OUTCOME_H

#include <jansson.h>
#include <stdbool.h>

#include "promote/promote.h"
#include "op/listed.h"
#include "op/path.h"

/* Touched directories are noise: whatever is made in one touches it. */
bool op_is_news(const struct merge_step *s);

/* Adds "ignored": how much of what git ignores was left out. */
void op_add_ignored(const struct box_ignored *left, json_t *result);

#define IGNORED_FIELDS                                                          \
	{ "ignored", "object", "left out, for git ignores it", .model = true }, \
		{ "ignored.files", "integer", "files and links" },              \
	{                                                                       \
		"ignored.bytes", "integer", "in them"                           \
	}

/* What --conflict may say where a text with marks, or a file beside, makes no sense. */
extern const char *const op_resolutions[];
/* What --conflict says; stop if nothing. */
enum merge_resolution op_resolution(const json_t *args);

/* Adds "changes" and "conflicts". */
void op_add_outcomes(const struct merge_plan *plan, enum merge_resolution resolution, json_t *result);

#define OUTCOME_FIELDS                                                                                \
	{ "changes", "array", "a directory before what is in it", .model = true },                    \
		PATH_FIELDS("changes[].", "below the target"),                                        \
		{ "changes[].kind", "string",                                                         \
		  "what the box did: created, modified, deleted, replaced, mode, xattr or touched" }, \
		{ "changes[].type", "string", "file, directory, symlink, fifo, socket or device" },   \
		{ "changes[].outcome", "string", "apply, merge or conflict" },                        \
		{ "conflicts", "array", "each path once", .model = true },                            \
		PATH_FIELDS("conflicts[].", "below the target"),                                      \
		{ "conflicts[].box", "string", "what the box did" },                                  \
		{ "conflicts[].host", "string", "what the other side did meanwhile" },                \
		{ "conflicts[].reason", "string", "for a person", .model = true },                    \
		{ "conflicts[].resolution", "string", "what --conflict said" }, MORE_FIELDS

#endif
