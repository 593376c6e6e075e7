/* SPDX-License-Identifier: Apache-2.0 */
/* What changed outside of a box, as JSON: for operations whose results depend on it. */
#ifndef OP_DRIFT_H
#define OP_DRIFT_H

#include "box/drift.h"
#include "op/op.h"

#define DRIFT_PARAM                                                                                 \
	{                                                                                           \
		"drift", 0, OP_STRING, 0, "TIME|full|off",                                          \
			"time limit for the search for changes in the real project; default: 300ms" \
	}

#define DRIFT_FIELDS                                                                                         \
	{ "drift", "object",                                                                                 \
	  "changes to the real project, outside of boxes, since the box or snapshot was made" },             \
		{ "drift.of", "string", "compared with: box, snapshot or pin" },                             \
		{ "drift.since_ms", "integer", "when that was made, in milliseconds since 1970" },           \
		{ "drift.changed", "integer",                                                                \
		  "modified files; also new ones, where aisbx has no list of the names there "               \
		  "were" },                                                                                  \
		{ "drift.added", "integer", "new files" },                                                   \
		{ "drift.deleted", "integer", "deleted files and directories" },                             \
		{ "drift.renamed", "integer", "renamed files and directories" },                             \
		{ "drift.lost", "integer",                                                                   \
		  "directories from which something was removed, but it is not known what" },                \
		{ "drift.touched", "integer",                                                                \
		  "with other permissions, owner, links or times; if the box changed them, too: with the "   \
		  "same content" },                                                                          \
		{ "drift.ignored", "integer", "changes that are not listed because git ignores the files" }, \
		{ "drift.looked", "integer", "files and directories examined" },                             \
		{ "drift.complete", "boolean",                                                               \
		  "false: the time limit was reached, or the clock was set back" },                          \
		{ "drift.clock_back", "boolean",                                                             \
		  "the clock is behind the time at which the box was made: few changes can be detected" },   \
		{ "drift.branch", "string|null", "git branch, if it is a different one now" },               \
		{ "drift.was", "string|null", "git branch when the box was made" },                          \
		{ "drift.files", "array", "the first 100; those that the box changed, too, come first" },    \
		{ "drift.files[].path", "string|null", "relative to the project; null if it is not UTF-8" }, \
		{ "drift.files[].path_hex", "string", "the bytes in hexadecimal, if it is not UTF-8" },      \
		{ "drift.files[].kind", "string", "deleted, renamed, changed, added, lost or touched" },     \
		{ "drift.files[].from", "string|null", "previous name, if it was renamed" },                 \
		{ "drift.files[].both", "boolean", "the box changed it, too" },                              \
	{                                                                                                    \
		"drift.error", "string", "why changes could not be detected"                                 \
	}

json_t *op_drift_report_json(const struct drift_report *r);

/* Before anything is done. */
int op_drift_options(const json_t *args, struct drift_options *ret, struct aisbx_error *e);
/* Adds "drift" to RESULT. */
void op_add_drift(const struct drift_report *r, json_t *result);

#endif
