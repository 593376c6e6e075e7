/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the editors of agents' configurations: whatever text an entry is put into, taking it out again gives
 * the very bytes of before, and what was put in is there in between. The first byte says which kind of text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static bool is_there(const char *text, const char *key, const json_t *value)
{
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	bool there = json_equal(json_object_get(json_object_get(root, key), AGENT_ENTRY), value);

	json_decref(root);
	return there;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	bool toml = len && data[0] % 2;
	struct aisbx_error e = AISBX_ERROR_INIT;
	char *text = len ? malloc(len) : NULL; /* ends with a NUL, as a file that was read does */
	json_t *value = json_pack("{s:s, s:[s, s]}", "command", "/usr/bin/aisbx", "args", "mcp", "--owner");
	struct agent_entry entry = { .key = toml ? "mcp_servers" : "s", .value = value };
	struct buf with = { 0 }, again = { 0 }, without = { 0 };
	enum agent_edit edit = EDIT_NONE;

	if (!text) {
		json_decref(value);
		return 0;
	}
	memcpy(text, data + 1, len - 1);
	text[len - 1] = '\0';
	if ((toml ? agent_toml_put : agent_json_put)(text, len - 1, &entry, &with, &edit, &e) == 0 &&
	    edit == EDIT_CHANGE && !strstr(text, "# >>> aisbx") && (toml || !strstr(text, "\"aisbx\""))) {
		must(with.len > len - 1 && (toml || is_there(with.data, entry.key, value)));
		must((toml ? agent_toml_put : agent_json_put)(with.data, with.len, &entry, &again, &edit,
							      &e) == 0 &&
		     edit == EDIT_NONE);
		must((toml ? agent_toml_drop : agent_json_drop)(with.data, with.len, &entry, &without, &edit,
								&e) == 0);
		must(edit == EDIT_CHANGE && without.len == len - 1 && !memcmp(without.data, text, len - 1));
	}
	buf_finish(&with);
	buf_finish(&again);
	buf_finish(&without);
	json_decref(value);
	free(text);
	return 0;
}
