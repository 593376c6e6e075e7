/* SPDX-License-Identifier: Apache-2.0 */
/* Scans in results: a report as JSON. For `scan` and for whoever scans before running. */
#ifndef OP_SCAN_JSON_H
#define OP_SCAN_JSON_H

#include <jansson.h>

#include "op/op.h"
#include "scan/core/scan.h"

/* A new reference; SCAN_FIELDS describes it. */
json_t *op_scan_json(const struct scan_report *r);

#define SCAN_FIELDS(at)                                                                                    \
	{ at "language", "string", "python, javascript, typescript or shell" },                            \
		{ at "bytes", "integer", "of the program" },                                               \
		{ at "risk", "string", "none, low, medium, high or critical: that of the worst finding" }, \
		{ at "action", "string",                                                                   \
		  "action of the policy for that risk: allow, warn, sandbox, ask or refuse" },             \
		{ at "more", "integer", "findings that are not listed" },                                  \
		{ at "findings", "array", "sorted by line and column" },                                   \
		{ at "findings[].rule", "string", "rule id in the policy" },                               \
		{ at "findings[].severity", "string", "low, medium, high or critical" },                   \
		{ at "findings[].kind", "string",                                                          \
		  "import, call, use, command, write, text, hidden, broken or unread" },                   \
		{ at "findings[].name", "string",                                                          \
		  "what was found: a module, a function, a command, a file, or a text" },                  \
		{ at "findings[].call", "string",                                                          \
		  "the same with its arguments; '?' stands for values that are only known at run time" },  \
		{ at "findings[].indirect", "boolean",                                                     \
		  "found through an alias, a concatenated string or similar" },                            \
		{ at "findings[].nested", "boolean", "in a program inside a string" },                     \
		{ at "findings[].line", "integer", "from 1" },                                             \
		{ at "findings[].column", "integer", "from 1, in bytes" },                                 \
		{ at "findings[].end_line", "integer", "where it ends" },                                  \
		{ at "findings[].end_column", "integer", "one after its last byte" },                      \
		{ at "findings[].text", "string", "the line of the source, or the part of a long one" },   \
		{ at "findings[].text_offset", "integer", "bytes of the line before that part" },          \
		{ at "findings[].why", "string", "reason given by the rule" },                             \
	{                                                                                                  \
		at "findings[].advice", "string|null", "what to do instead"                                \
	}

#endif
