/* SPDX-License-Identifier: Apache-2.0 */
/* What changed outside of a box, as JSON: for operations whose result is worth less by it. */
#ifndef OP_DRIFT_H
#define OP_DRIFT_H

#include "box/drift.h"
#include "op/op.h"

#define DRIFT_PARAM                                                                                       \
	{                                                                                                 \
		"drift", 0, OP_STRING, 0, "TIME|full|off",                                                \
			"how long to look for what changed in the real project meanwhile; default: 300ms" \
	}

#define DRIFT_FIELDS                                                                                       \
	{ "drift", "object",                                                                               \
	  "what changed in the real project, outside of boxes, since the box or snapshot was made" },      \
		{ "drift.of", "string", "since what: box, snapshot or pin" },                              \
		{ "drift.since_ms", "integer", "when that was; milliseconds since 1970" },                 \
		{ "drift.changed", "integer",                                                              \
		  "files that were written; also new ones, where aisbx has no list of the names there "    \
		  "were" },                                                                                \
		{ "drift.added", "integer", "new ones" },                                                  \
		{ "drift.deleted", "integer", "files and directories that are gone" },                     \
		{ "drift.renamed", "integer", "files and directories with another name" },                 \
		{ "drift.lost", "integer", "directories from which something went, no list says what" },   \
		{ "drift.touched", "integer",                                                              \
		  "with other permissions, owner, links or times; of what the box changed: whose content " \
		  "is as it was" },                                                                        \
		{ "drift.ignored", "integer", "changes that are not told, for git ignores the files" },    \
		{ "drift.looked", "integer", "files and directories that were looked at" },                \
		{ "drift.complete", "boolean",                                                             \
		  "false: the time was up before all were looked at, or the clock was set back" },         \
		{ "drift.clock_back", "boolean",                                                           \
		  "the clock is behind the moment the box was made: little can be told" },                 \
		{ "drift.branch", "string|null", "of git, if it is another one now" },                     \
		{ "drift.was", "string|null", "the branch when the box was made" },                        \
		{ "drift.files", "array", "the first 100; those that the box changed, too, come first" },  \
		{ "drift.files[].path", "string|null", "below the project; null when it is no UTF-8" },    \
		{ "drift.files[].path_hex", "string", "then: its bytes" },                                 \
		{ "drift.files[].kind", "string", "deleted, renamed, changed, added, lost or touched" },   \
		{ "drift.files[].from", "string|null", "of what was renamed: what it was called" },        \
		{ "drift.files[].both", "boolean", "the box changed it, too" },                            \
	{                                                                                                  \
		"drift.error", "string", "why nothing can be told"                                         \
	}

json_t *op_drift_report_json(const struct drift_report *r);

/* Before anything is done. */
int op_drift_wish(const json_t *args, struct drift_wish *ret, struct aisbx_error *e);
/* Adds "drift" to RESULT. */
void op_add_drift(const struct drift_report *r, json_t *result);

#endif
