/* SPDX-License-Identifier: Apache-2.0 */
/* Pinning as operations tell of it: on its way, and when it is done. */
#ifndef OP_PIN_H
#define OP_PIN_H

#include "box/pin.h"
#include "op/op.h"

#define PIN_FIELDS                                                                                          \
	{ "pin", "object", "with pin: the copy of the project" },                                           \
		{ "pin.since_ms", "integer",                                                                \
		  "what changes outside from then on is not in it; milliseconds since 1970" },              \
		{ "pin.files", "integer", "files, directories and links in it" },                           \
		{ "pin.bytes", "integer", "in these files" },                                               \
		{ "pin.shared", "boolean", "they take no room of their own: the file system shares them" }, \
	{                                                                                                   \
		"pin.unreadable", "integer",                                                                \
			"files and directories that could not be read: they are empty in it"                \
	}

/* Tells CTX of the copy while it is made. */
struct pin_how op_pin_how(struct op_context *ctx);
void op_add_pin(const struct pin_count *count, json_t *result);

#endif
