/* SPDX-License-Identifier: Apache-2.0 */
/* What a box changed of the system, as JSON: for diff and promote. */
#ifndef OP_SYSTEM_JSON_H
#define OP_SYSTEM_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "box/system.h"
#include "op/path_json.h"

/* Adds "system": null if nothing changed. FILES: each of them, too. */
void op_add_system(const struct box_system *s, bool files, json_t *result);
/* Adds "commands". */
void op_add_commands(const struct box_system *s, json_t *result);

#define SYSTEM_FIELDS                                                                                       \
	{ "system", "object|null", "what a box of root changed outside of its project; null: nothing" },    \
		{ "system.packages", "array", "packages that differ" },                                     \
		{ "system.packages[].name", "string", "its name" },                                         \
		{ "system.packages[].change", "string",                                                     \
		  "installed, removed, upgraded, downgraded, configured or unpacked" },                     \
		{ "system.packages[].version", "string|null", "its version in the box; null: none" },       \
		{ "system.packages[].previous", "string|null", "its version on this machine; null: none" }, \
		{ "system.packages[].manager", "string", "dpkg, apk or pip" },                              \
		{ "system.users", "array", "new names in /etc/passwd" },                                    \
		{ "system.files", "integer", "changed files, without noise" },                              \
		{ "system.noise", "integer", "logs, caches and notes of package managers: not in files" },  \
		{ "system.directories", "array", "the files by place" },                                    \
		{ "system.directories[].files", "integer", "how many" },                                    \
		{ "system.directories[].path", "string|null", "such as /etc; null if it is not UTF-8" },    \
		{ "system.directories[].path_hex", "string",                                                \
		  "the bytes in hexadecimal, if it is not UTF-8" },                                         \
		{ "system.changes", "array", "with system: the files" },                                    \
		{ "system.changes[].kind", "string", "as in changes" },                                     \
		{ "system.changes[].type", "string", "file, directory, symlink, fifo, socket or device" },  \
		{ "system.changes[].noise", "boolean", "it is not in files" },                              \
		{ "system.changes[].path", "string|null", "absolute; null if it is not UTF-8" },            \
		{ "system.changes[].path_hex", "string", "the bytes in hexadecimal, if it is not UTF-8" },  \
	{                                                                                                   \
		"system.more", "object", "only if there are more than can be listed: how many"              \
	}

#endif
