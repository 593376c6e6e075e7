/* SPDX-License-Identifier: Apache-2.0 */
/* Pinning in results: its progress, and its outcome. */
#ifndef OP_PIN_H
#define OP_PIN_H

#include "box/pin.h"
#include "op/op.h"

#define PIN_FIELDS                                                                                    \
	{ "pin", "object", "with pin: the copy of the project" },                                     \
		{ "pin.since_ms", "integer",                                                          \
		  "when it was made; later changes outside are not in it; milliseconds since 1970" }, \
		{ "pin.files", "integer", "files, directories and links copied" },                    \
		{ "pin.bytes", "integer", "bytes in these files" },                                   \
		{ "pin.shared", "boolean",                                                            \
		  "the copy takes no space of its own: the file system shares the data" },            \
	{                                                                                             \
		"pin.unreadable", "integer",                                                          \
			"files and directories that could not be read: they are empty in the copy"    \
	}

/* Reports the progress of the copy to CTX. */
struct pin_how op_pin_how(struct op_context *ctx);
void op_add_pin(const struct pin_count *count, json_t *result);

#endif
