/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the text of a result, as short as the bus needs it. */
#include "fleet/agent/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/core/memory.h"

/* The record around it is JSON, too, in which quotes and backslashes take two bytes. */
#define LONGEST ((size_t)400 << 10)
/* Exit status of aisbx's own failures. */
#define FAILED 125

static struct fleet_text *text_of(json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT);
	struct fleet_text *ret;

	json_decref(value);
	if (!text)
		fleet_out_of_memory();
	ret = fleet_text_new(text, strlen(text));
	free(text);
	return ret;
}

json_t *result_error_json(const struct aisbx_error *e)
{
	json_t *j = json_pack("{s:s, s:s, s:s, s:i, s:s}", "kind", aisbx_kind_name(e->kind), "area",
			      aisbx_area_name(e->area), "code", strerrorname_np(-e->code), "errno", -e->code,
			      "text", e->text);

	return j ? j : json_pack("{s:s}", "kind", aisbx_kind_name(e->kind));
}

struct fleet_text *result_of_error(const char *operation, const struct aisbx_error *e)
{
	return text_of(json_pack("{s:s, s:i, s:o}", "operation", operation, "exit_status", FAILED, "error",
				 result_error_json(e)));
}

static struct fleet_text *too_long(const char *operation, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	aisbx_refuse(
		&e, AISBX_KIND_LIMIT, AISBX_AREA_RUN, EMSGSIZE,
		"'%s' was carried out, but its result of %zu bytes is too long to travel; ask for less of it",
		operation, len);
	return result_of_error(operation, &e);
}

/* Where an operation has output, its beginning stands in the result; less of it, until all is short enough.
 */
static struct fleet_text *fit(const char *operation, json_t *whole, json_t *result, const struct output *out)
{
	for (size_t most = (size_t)256 << 10;; most /= 4) {
		struct fleet_text *text;
		size_t len;

		if (json_object_get(result, "stdout"))
			output_put_head(out, result, most);
		text = text_of(json_incref(whole));
		len = fleet_text_len(text);
		if (len <= LONGEST)
			return text;
		fleet_text_drop(text);
		if (!most || !json_object_get(result, "stdout"))
			return too_long(operation, len);
	}
}

struct fleet_text *result_of_answer(const char *operation, const json_t *answer, const struct output *out)
{
	const json_t *error = json_object_get(json_object_get(answer, "error"), "data");
	json_t *result = json_deep_copy(json_object_get(answer, "result")),
	       *cut = json_object_get(result, "truncated");
	const json_t *status = json_object_get(result, "exit_status");
	json_t *whole;
	struct fleet_text *text;

	whole = json_pack("{s:s, s:I, s:I}", "operation", operation, "exit_status",
			  json_is_integer(status) ? json_integer_value(status)
						  : (json_int_t)(result ? 0 : FAILED),
			  "pieces", (json_int_t)out->n);
	if (json_is_object(
		    cut)) /* of the run itself, by its limit; in the result stands what was not kept here */
		json_object_set_new(whole, "cut", json_deep_copy(cut));
	if (result)
		json_object_set_new(whole, "result", result);
	else if (error)
		json_object_set(whole, "error", (json_t *)error);
	text = fit(operation, whole, result, out);
	json_decref(whole);
	return text;
}
