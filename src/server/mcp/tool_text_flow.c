/* SPDX-License-Identifier: Apache-2.0 */
/* Results of an agent's flow as text: plans and their steps, gates, commits, artifacts. */
#include <string.h>

#include "server/mcp/tool_internal.h"

/* Of a list. */
#define LIST_MAX 50

static const char *text(const json_t *j, const char *name)
{
	const char *value = json_string_value(json_object_get(j, name));

	return value ? value : "";
}

static long long number(const json_t *j, const char *name)
{
	return (long long)json_integer_value(json_object_get(j, name));
}

static void step_words(const json_t *step, struct buf *out)
{
	buf_addf(out, "  %lld %s: %s", number(step, "step"), text(step, "state"), text(step, "what"));
	if (json_is_integer(json_object_get(step, "exit_code")))
		buf_addf(out, " (exit code %lld)", number(step, "exit_code"));
	if (*text(step, "note"))
		buf_addf(out, ": %s", text(step, "note"));
	buf_addf(out, "\n");
}

void tool_plan_words(const json_t *data, struct buf *out)
{
	const char *state = text(data, "state");
	const json_t *step;
	size_t i;

	if (json_is_object(json_object_get(data, "result")))
		tool_run_words(json_object_get(data, "result"), out);
	buf_addf(out, "Plan %s, %s: %s\n", text(data, "plan"), state, text(data, "goal"));
	json_array_foreach(json_object_get(data, "steps"), i, step) if (i < LIST_MAX) step_words(step, out);
	tool_add_not_shown(out, data, "steps");
	if (!strcmp(state, "open"))
		buf_addf(out, "[sandbox_step runs the next]\n");
	else if (!strcmp(state, "failed"))
		buf_addf(out, "[sandbox_step with 'again' repeats what failed, with 'skip' leaves it]\n");
}

void tool_gate_words(const json_t *data, struct buf *out)
{
	const bool passed = json_is_true(json_object_get(data, "passed"));
	const json_t *check;
	size_t i;

	buf_addf(out, "%s\n", passed ? "All checks hold:" : "Not all checks hold:");
	json_array_foreach(json_object_get(data, "checks"), i, check) if (i < LIST_MAX)
		buf_addf(out, "  %s %s: %s\n",
			 json_is_true(json_object_get(check, "passed")) ? "passed" : "FAILED",
			 text(check, "check"), text(check, "why"));
	tool_add_not_shown(out, data, "checks");
}

void tool_commit_words(const json_t *data, struct buf *out)
{
	const json_t *file;
	size_t i;

	buf_addf(out, "Committed %.12s%s%s in the box (sandbox_promote brings it into the real project):\n",
		 text(data, "commit"), *text(data, "branch") ? " on " : "", text(data, "branch"));
	json_array_foreach(json_object_get(data, "files"), i, file) if (i < LIST_MAX)
		buf_addf(out, "  %s %s\n", text(file, "change"),
			 *text(file, "path") ? text(file, "path") : "(a name that is not UTF-8)");
	tool_add_not_shown(out, data, "files");
}

void tool_artifact_words(const json_t *data, struct buf *out)
{
	buf_addf(out, "Saved as artifact %s (%s, %s, %lld bytes): aisbx://artifacts/%s\n", text(data, "id"),
		 text(data, "name"), text(data, "media"), number(data, "size"), text(data, "id"));
}
