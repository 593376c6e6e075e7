/* SPDX-License-Identifier: Apache-2.0 */
/* What changed outside of a box, for a model: a separate text beside the result, if there is any change. */
#include <string.h>

#include "base/scope.h"
#include "server/mcp/tool_internal.h"

#define MAX_NAMED 10

static const char *text_of(const json_t *j, const char *key)
{
	const char *text = json_string_value(json_object_get(j, key));

	return text ? text : "";
}

static void add_files(const json_t *drift, struct buf *out)
{
	static const char *const kinds[] = { "changed", "added", "deleted", "renamed", "lost", "touched" };
	const json_t *f;
	json_int_t n = 0;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		n += json_integer_value(json_object_get(drift, kinds[i]));
	if (!n)
		return;
	buf_addf(out, "%s%lld file%s of the real project changed outside since the %s:",
		 json_is_true(json_object_get(drift, "complete")) ? "" : "At least ", (long long)n,
		 n == 1 ? "" : "s",
		 !strcmp(text_of(drift, "of"), "snapshot") ? "snapshot was taken"
		 : !strcmp(text_of(drift, "of"), "pin")    ? "box was pinned (it does not see these changes)"
							   : "box was made");
	json_array_foreach(json_object_get(drift, "files"), i, f) if (i < MAX_NAMED)
		buf_addf(out, "\n%s (%s%s)",
			 *text_of(f, "path") ? text_of(f, "path") : "a name that is not UTF-8",
			 text_of(f, "kind"),
			 json_is_true(json_object_get(f, "both")) ? ", also by the box" : "");
	if (n > MAX_NAMED)
		buf_addf(out, "\nand %lld more", (long long)n - MAX_NAMED);
}

void tool_add_drift(const json_t *result, json_t *content)
{
	const json_t *drift = json_object_get(result, "drift");
	scoped(buf_finish) struct buf out = { 0 };
	scoped(buf_finish) struct buf clean = { 0 };

	if (*text_of(drift, "branch"))
		buf_addf(&out, "The real project is on %s now; it was on %s when the box was made.\n",
			 text_of(drift, "branch"), text_of(drift, "was"));
	add_files(drift, &out);
	if (!out.len)
		return;
	buf_add_utf8(&clean, buf_str(&out) ? out.data : "", out.len);
	json_array_append_new(content, json_pack("{s:s, s:o}", "type", "text", "text",
						 json_stringn(buf_str(&clean) ? clean.data : "", clean.len)));
}
