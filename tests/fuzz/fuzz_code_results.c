/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of values that a program told: it is a file of the box, so anybody could have written it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "box/code_boot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *copy = malloc(len ? len : 1);
	json_t *results, *value, *made;
	const char *kind;
	size_t i;

	memcpy(copy, data, len);
	results = code_results_read(copy, len);
	must(!results || (json_is_array(results) && json_array_size(results) <= 64));
	json_array_foreach(results, i, value)
	{
		must(json_is_object(value) && json_is_boolean(json_object_get(value, "is_main_result")));
		json_object_foreach(value, kind, made)
			must(json_is_string(made) || !strcmp(kind, "is_main_result") ||
			     !strcmp(kind, "json") || (!strcmp(kind, "extra") && json_is_object(made)));
	}
	json_decref(results);
	free(copy);
	return 0;
}
