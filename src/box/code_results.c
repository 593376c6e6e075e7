/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the values that a program told, which it may have written itself: only known kinds of known types. */
#include <string.h>

#include "box/code_boot.h"

#define RESULTS_MOST 64u

static const char *const kinds[] = { "text", "html",  "markdown", "svg",        "png",
				     "jpeg", "latex", "pdf",      "javascript", NULL };

/* A value in the kinds we know, or NULL; a new reference. */
static json_t *one(const json_t *said)
{
	json_t *clean = json_object(), *json = json_object_get(said, "json"),
	       *extra = json_object_get(said, "extra");

	for (size_t i = 0; kinds[i]; i++) {
		json_t *made = json_object_get(said, kinds[i]);

		if (json_is_string(made))
			json_object_set(clean, kinds[i], made);
	}
	if (json_is_object(json) || json_is_array(json))
		json_object_set(clean, "json", json);
	if (json_is_object(extra))
		json_object_set(clean, "extra", extra);
	json_object_set_new(clean, "is_main_result",
			    json_boolean(json_is_true(json_object_get(said, "is_main_result"))));
	return clean;
}

json_t *code_results_clean(const json_t *said)
{
	const json_t *list = json_object_get(said, "results"), *value;
	json_t *clean;
	size_t i;

	if (!json_is_array(list))
		return NULL;
	clean = json_array();
	json_array_foreach(list, i, value) if (i < RESULTS_MOST && json_is_object(value))
		json_array_append_new(clean, one(value));
	return clean;
}

json_t *code_results_read(const char *text, size_t len)
{
	json_t *said = json_loadb(text, len, 0, NULL), *clean = code_results_clean(said);

	json_decref(said);
	return clean;
}
