/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what is said to a model: errors have names and texts of others in them. Whatever is said is text and
 * does not grow beyond measure. What a program says is a picture is shown only if it is one in base64.
 */
#include <stdlib.h>
#include <string.h>

#include "server/mcp/tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* A result in which it is everything that could be said, or shown. */
static void in_a_result(const json_t *text)
{
	json_t *given = json_pack("{s:s, s:O, s:[O], s:[{s:O}], s:{s:s, s:O}}", "status", "error", "error",
				  text, "charts", text, "results", "png", text, "limit", "kind", "memory",
				  "raise_with", text);
	json_t *told = tool_result(&op_run_code, true, given, NULL, NULL, NULL, NULL), *block;
	size_t i;

	must(told && json_is_string(json_object_get(json_object_get(told, "structuredContent"), "error")));
	json_array_foreach(json_object_get(told, "content"), i, block)
	{
		const json_t *picture = json_object_get(block, "data");

		must(!picture ||
		     (json_string_length(picture) % 4 == 0 && !strpbrk(json_string_value(picture), " \n\"")));
	}
	json_decref(told);
	json_decref(given);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct op *const whose[] = { NULL, &op_run, &op_run_code, &op_promote, &op_plan_step };
	char *bytes;
	json_t *text;

	if (len < 1 || memchr(data, 0, len))
		return 0;
	bytes = strndup((const char *)data + 1, len - 1);
	text = bytes ? json_string(bytes) : NULL; /* errors are UTF-8 by then */
	if (text) {
		const struct op *op = whose[data[0] % (sizeof(whose) / sizeof(*whose))];
		json_t *said = tool_said(op, data[0] & 0x80, bytes);

		must(said && json_string_length(said) <= 96 * len + 256);
		in_a_result(text);
		json_decref(said);
	}
	json_decref(text);
	free(bytes);
	return 0;
}
