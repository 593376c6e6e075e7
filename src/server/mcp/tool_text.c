/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results as text, for models that read only text: the outcome, obstacles, which tool helps next. Short data
 * stays data.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/str.h"
#include "base/value.h"
#include "server/mcp/tool_internal.h"

/* Of a list of things that went wrong, or changed. */
#define LIST_MAX 50
/* Bytes of a value in the text, which is a copy of that in the data. */
#define VALUE_MAX 4096

static const char *text(const json_t *j, const char *name)
{
	return json_string_value(json_object_get(j, name));
}

static json_int_t number(const json_t *j, const char *name)
{
	return json_integer_value(json_object_get(j, name));
}

/* With an end of line behind it. */
static void add_block(struct buf *out, const json_t *block)
{
	const char *s = json_string_value(block);
	size_t len = json_string_length(block);

	if (!s)
		return;
	buf_add(out, s, len);
	if (len && s[len - 1] != '\n')
		buf_add(out, "\n", 1);
}

void tool_add_not_shown(struct buf *out, const json_t *data, const char *list)
{
	json_int_t n = number(json_object_get(data, "not_shown"), list) +
		       number(json_object_get(data, "more"), list);

	if (n)
		buf_addf(out, "[%lld more of '%s' are not shown]\n", (long long)n, list);
}

static void limit_words(const json_t *limit, struct buf *out)
{
	const char *kind = text(limit, "kind"), *option = text(limit, "raise_with");

	if (!kind)
		return;
	buf_addf(out, "[%s the limit %s: %lld",
		 json_is_false(json_object_get(limit, "sure")) ? "perhaps failed for" : "ended by", kind,
		 (long long)number(limit, "value"));
	if (str_is_one_of(kind, "wall_time|cpu_time"))
		buf_addf(out, " ms");
	if (option)
		buf_addf(out, "; '%s' changes it]\n", option);
	else
		buf_addf(out, "; only the person can change it]\n");
}

static void violation_words(const json_t *list, struct buf *out)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
	{
		const char *what = text(v, "what"), *by = text(v, "by"), *rule = text(v, "rule");

		if (i == 8) {
			buf_addf(out, "[and %zu more were refused]\n", json_array_size(list) - i);
			break;
		}
		buf_addf(out, "[refused: %s%s%s%s%s%s]\n", what ? what : "", by ? " by " : "", by ? by : "",
			 rule ? " (" : "", rule ? rule : "", rule ? ")" : "");
	}
}

static void end_words(const json_t *data, struct buf *out)
{
	const json_t *code = json_object_get(data, "exit_code"), *signal = json_object_get(data, "signal");
	const json_t *wall = json_object_get(json_object_get(data, "usage"), "wall_ms");
	const char *status = text(data, "status"), *run = text(data, "run");
	char took[32];

	buf_addf(out, "[%s", status ? status : "ended");
	if (json_is_integer(code))
		buf_addf(out, ", exit code %lld", (long long)json_integer_value(code));
	if (json_is_integer(signal))
		buf_addf(out, ", signal %lld", (long long)json_integer_value(signal));
	if (json_is_number(wall))
		buf_addf(out, ", %s", str_ms((uint64_t)json_number_value(wall), took, sizeof(took)));
	if (run)
		buf_addf(out, ", run %s", run);
	if (text(data, "node"))
		buf_addf(out, ", node %s", text(data, "node"));
	buf_addf(out, "]\n");
}

static void running_words(const json_t *data, struct buf *out)
{
	const char *run = text(data, "run");

	buf_addf(out, "[still running");
	if (run)
		buf_addf(out, ": run %s; sandbox_wait returns the rest, sandbox_kill ends it", run);
	buf_addf(out, "]\n");
}

static void exception_words(const json_t *x, struct buf *out)
{
	const char *name = text(x, "name"), *message = text(x, "message");

	if (!json_is_object(x))
		return;
	buf_addf(out, "[%s%s%s", name ? name : "error", message ? ": " : "", message ? message : "");
	if (json_is_integer(json_object_get(x, "line")))
		buf_addf(out, " in line %lld", (long long)number(x, "line"));
	buf_addf(out, "]\n");
}

static void intent_words(const json_t *data, struct buf *out)
{
	const json_t *tests = json_object_get(data, "tests"), *word;
	const char *intent = text(data, "intent"), *found = text(data, "found_in");
	size_t i;

	if (!intent)
		return;
	buf_addf(out, "[%s:", intent);
	json_array_foreach(json_object_get(data, "command"), i, word)
		buf_addf(out, " %s", json_string_value(word));
	if (text(data, "command"))
		buf_addf(out, " %s", text(data, "command"));
	buf_addf(out, "%s%s%s]\n", found ? " (from " : "", found ? found : "", found ? ")" : "");
	if (json_is_object(tests))
		buf_addf(out, "[tests: %lld passed, %lld failed, %lld skipped]\n",
			 (long long)number(tests, "passed"), (long long)number(tests, "failed"),
			 (long long)number(tests, "skipped"));
}

/* Of a program's last expression; that of a context is in its output. */
static void value_words(const json_t *data, struct buf *out)
{
	const char *value = json_object_get(data, "context_new") ? NULL : text(data, "text");
	json_t *cut;
	uint64_t lost;

	if (!value)
		return;
	cut = tool_cut_text(value, strlen(value), VALUE_MAX, NULL, &lost);
	add_block(out, cut);
	json_decref(cut);
}

void tool_run_words(const json_t *data, struct buf *out)
{
	const char *status = text(data, "status"), *error = text(data, "error");
	const json_t *file, *said = json_object_get(data, "stderr");
	size_t i;

	intent_words(data, out);
	add_block(out, json_object_get(data, "stdout"));
	if (json_string_length(said)) {
		buf_addf(out, "[stderr]\n");
		add_block(out, said);
	}
	value_words(data, out);
	exception_words(json_object_get(data, "exception"), out);
	json_array_foreach(json_object_get(data, "files"), i, file) if (i < LIST_MAX && text(file, "path"))
		buf_addf(out, "[left the file %s, %lld bytes]\n", text(file, "path"),
			 (long long)number(file, "size"));
	if (error)
		buf_addf(out, "[%s]\n", error);
	limit_words(json_object_get(data, "limit"), out);
	violation_words(json_object_get(data, "violations"), out);
	if (status && !strcmp(status, "running"))
		running_words(data, out);
	else
		end_words(data, out);
}

static void change_words(const json_t *data, const char *list, struct buf *out)
{
	const json_t *changes = json_object_get(data, list), *c;
	size_t i;

	json_array_foreach(changes, i, c)
	{
		const char *path = text(c, "path"), *kind = text(c, "kind"), *why = text(c, "why"),
			   *reason = text(c, "reason");

		if (i == LIST_MAX) {
			buf_addf(out, "  and %zu more\n", json_array_size(changes) - i);
			break;
		}
		buf_addf(out, "  %s%s%s", kind ? kind : "", kind ? " " : "",
			 path ? path : "(a name that is not UTF-8)");
		if (why || reason)
			buf_addf(out, ": %s", why ? why : reason);
		buf_addf(out, "\n");
	}
	tool_add_not_shown(out, data, list);
}

static void summary_words(const json_t *summary, struct buf *out)
{
	const char *name;
	json_t *n;
	size_t told = 0;

	json_object_foreach((json_t *)summary, name, n) if (json_integer_value(n))
		buf_addf(out, "%s%lld %s", told++ ? ", " : "", (long long)json_integer_value(n), name);
	buf_addf(out, "%s\n", told ? "" : "no changes");
}

static void diff_words(const json_t *data, struct buf *out)
{
	summary_words(json_object_get(data, "summary"), out);
	change_words(data, "changes", out);
	if (json_string_length(json_object_get(data, "patch"))) {
		buf_addf(out, "\n");
		add_block(out, json_object_get(data, "patch"));
	}
}

bool tool_stops(const json_t *result)
{
	const json_t *summary = json_object_get(result, "summary");

	return number(summary, "conflicts") || number(summary, "traps") || number(summary, "secrets");
}

static void against_words(const json_t *data, struct buf *out)
{
	const json_t *secret;
	size_t i;

	if (json_array_size(json_object_get(data, "conflicts"))) {
		buf_addf(out, "Changed in the real project, too (review it, or choose with 'conflict'):\n");
		change_words(data, "conflicts", out);
	}
	if (json_array_size(json_object_get(data, "traps"))) {
		buf_addf(out,
			 "Would run code later, so only the person can promote it, in a terminal: aisbx "
			 "promote -y %s\n",
			 text(data, "box_id") ? text(data, "box_id")
			 : text(data, "box")  ? text(data, "box")
					      : "BOX");
		change_words(data, "traps", out);
	}
	if (json_array_size(json_object_get(data, "secrets")))
		buf_addf(out, "Contain a secret that was given to the box:\n");
	json_array_foreach(json_object_get(data, "secrets"), i, secret) if (i < LIST_MAX)
		buf_addf(out, "  %s in %s\n", text(secret, "name") ? text(secret, "name") : "",
			 text(secret, "path") ? text(secret, "path") : "(a name that is not UTF-8)");
}

static void promote_words(const json_t *data, struct buf *out)
{
	const char *id = text(data, "promotion"), *target = text(data, "target");
	bool asked = json_is_true(json_object_get(data, "dry_run"));

	if (json_is_true(json_object_get(data, "applied")))
		buf_addf(out, "Promoted into %s (sandbox_undo undoes %s): ", target ? target : "",
			 id ? id : "it");
	else
		buf_addf(out, "%s %s: ", asked ? "This would change" : "Nothing was changed in",
			 target ? target : "the project");
	summary_words(json_object_get(data, "summary"), out);
	change_words(data, "changes", out);
	against_words(data, out);
	if (text(data, "error"))
		buf_addf(out, "[%s]\n", text(data, "error"));
}

static void undo_words(const json_t *data, struct buf *out)
{
	const char *id = text(data, "promotion"), *target = text(data, "target");

	buf_addf(out, "Promotion %s %s in %s\n", id ? id : "",
		 json_is_true(json_object_get(data, "undone"))    ? "was undone"
		 : json_is_true(json_object_get(data, "dry_run")) ? "could be undone"
								  : "was not undone",
		 target ? target : "");
	if (json_array_size(json_object_get(data, "conflicts"))) {
		buf_addf(out, "Changed since (choose with 'conflict'):\n");
		change_words(data, "conflicts", out);
	}
}

static void box_words(const json_t *box, struct buf *out)
{
	buf_addf(out, "%s (id %s), project %s, %lld snapshots", text(box, "name") ? text(box, "name") : "",
		 text(box, "id") ? text(box, "id") : "", text(box, "project") ? text(box, "project") : "none",
		 (long long)number(box, "snapshots"));
	if (text(box, "node"))
		buf_addf(out, ", node %s", text(box, "node"));
	buf_addf(out, "\n");
}

static void boxes_words(const json_t *data, struct buf *out)
{
	const json_t *boxes = json_object_get(data, "boxes"), *missing = json_object_get(data, "missing"),
		     *left = json_object_get(data, "left"), *item;
	size_t i;

	if (!boxes)
		box_words(data, out);
	else if (!json_array_size(boxes) && !missing)
		buf_addf(out, "No boxes; sandbox_create makes one.\n");
	json_array_foreach(boxes, i, item) box_words(item, out);
	if (json_array_size(left))
		buf_addf(out, "Left by an earlier session; sandbox_create takes one over, as its 'take':\n");
	json_array_foreach(left, i, item) box_words(item, out);
	json_array_foreach(missing, i, item) buf_addf(out, "[the boxes of node %s are missing: %s]\n",
						      text(item, "node") ? text(item, "node") : "",
						      text(item, "why") ? text(item, "why") : "");
	tool_add_not_shown(out, data, "boxes");
}

/* Of a file: its text as it is, so that a model can copy from it. */
static void read_words(const json_t *data, struct buf *out)
{
	const json_t *content = json_object_get(data, "content"),
		     *next = json_object_get(data, "next_offset");

	const json_t *line = json_object_get(data, "next_line");

	if (!content && text(data, "media")) {
		buf_addf(out, "[%s, %lld bytes, as a picture]\n", text(data, "media"),
			 (long long)number(data, "size"));
		return;
	}
	buf_add(out, json_string_value(content) ? json_string_value(content) : "",
		json_string_length(content));
	if (json_is_integer(line))
		buf_addf(out, "\n[there is more: continue from %lld]", (long long)json_integer_value(line));
	else if (json_is_integer(next))
		buf_addf(out, "\n[there is more: continue with offset %lld]",
			 (long long)json_integer_value(next));
}

static void files_words(const json_t *data, struct buf *out)
{
	const json_t *entries = json_object_get(data, "entries"), *entry;
	size_t i;

	json_array_foreach(entries, i, entry)
	{
		const char *type = text(entry, "type"), *path = text(entry, "path");

		buf_addf(out, "%s%s", path ? path : "(a name that is not UTF-8)",
			 type && !strcmp(type, "directory") ? "/" : "");
		if (type && !strcmp(type, "file"))
			buf_addf(out, " %lld bytes", (long long)number(entry, "size"));
		else if (type && strcmp(type, "directory") != 0)
			buf_addf(out, " %s", type);
		buf_addf(out, "\n");
	}
	if (!json_array_size(entries))
		buf_addf(out, "%s is empty.\n", text(data, "path") ? text(data, "path") : "it");
	tool_add_not_shown(out, data, "entries");
	if (json_is_true(json_object_get(data, "more")))
		buf_addf(out, "[there are more: give a directory or a pattern]\n");
}

static void write_words(const json_t *data, struct buf *out)
{
	buf_addf(out, "%s %s: %lld bytes\n",
		 json_is_true(json_object_get(data, "created")) ? "Made" : "Wrote",
		 text(data, "path") ? text(data, "path") : "it", (long long)number(data, "size"));
}

static void any_words(const json_t *data, struct buf *out)
{
	scoped(drop_mem) char *json = json_dumps(data, JSON_COMPACT | VALUE_REALS);

	buf_addf(out, "%s", json ? json : "");
}

void tool_text(const struct op *op, const json_t *data, struct buf *out)
{
	static const struct {
		const char *method;
		void (*say)(const json_t *data, struct buf *out);
	} table[] = {
		{ "box.create", boxes_words },
		{ "box.fork", boxes_words },
		{ "box.ls", boxes_words },
		{ "box.diff", diff_words },
		{ "promote", promote_words },
		{ "undo", undo_words },
		{ "file.read", read_words },
		{ "file.ls", files_words },
		{ "file.write", write_words },
		{ "plan.create", tool_plan_words },
		{ "plan.step", tool_plan_words },
		{ "gate.check", tool_gate_words },
		{ "repo.commit", tool_commit_words },
		{ "artifact.save", tool_artifact_words },
	};

	if (json_object_get(data, "stdout") ||
	    (json_object_get(data, "status") && json_object_get(data, "run"))) {
		tool_run_words(data, out);
		return;
	}
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(table[i].method, op->method)) {
			table[i].say(data, out);
			return;
		}
	any_words(data, out);
}

char *tool_question(const struct op *op, const json_t *preview)
{
	scoped(buf_finish) struct buf out = { 0 };
	const json_t *summary = json_object_get(preview, "summary");

	if (op != &op_promote || number(summary, "secrets") || number(summary, "traps") ||
	    !json_array_size(json_object_get(preview, "changes")))
		return NULL; /* of a secret or a trap nobody is asked in passing */
	buf_addf(&out, "Promote the changes of box '%s' into %s? ",
		 text(preview, "box") ? text(preview, "box") : "",
		 text(preview, "target") ? text(preview, "target") : "the project");
	summary_words(summary, &out);
	change_words(preview, "changes", &out);
	return buf_str(&out) ? take_mem(&out.data) : NULL;
}
