/* SPDX-License-Identifier: Apache-2.0 */
/* One thing in words: a box, a file, an artifact, what gc removed. */
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/scope.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/render_common.h"

static void print_label(const char *label)
{
	printf("%s%-11s%s ", paint(DIM), label, paint(PLAIN));
}

/* A line "label   value", unless there is no value. */
static void print_line(const char *label, const char *value)
{
	if (!*value)
		return;
	print_label(label);
	cli_print_name(stdout, value);
	printf("\n");
}

/* "2026-11-17 23:10 (2 minutes ago)" */
static void print_moment(const char *label, json_int_t ms)
{
	char date[32], ago[32];

	if (!ms)
		return;
	print_label(label);
	printf("%s (%s)\n", date_text(ms, date, sizeof(date)), ago_text(ms, ago, sizeof(ago)));
}

static void print_size(const char *label, json_int_t bytes)
{
	char size[32];

	print_label(label);
	printf("%s", str_size((uint64_t)bytes, size, sizeof(size)));
	if (bytes >= 1024)
		printf(" (%lld bytes)", (long long)bytes);
	printf("\n");
}

static void print_expiry(const json_t *box)
{
	json_int_t left = number_of(box, "expires_ms") - (json_int_t)time(NULL) * 1000;
	char text[32], date[32];

	if (!number_of(box, "expires_ms"))
		return;
	print_label("expires");
	if (left > 0)
		printf("%s (in %s)\n", date_text(number_of(box, "expires_ms"), date, sizeof(date)),
		       left >= 2 * 86400000ll ? count_text(left / 86400000, "day", text, sizeof(text))
					      : str_ms((uint64_t)left / 1000 * 1000, text, sizeof(text)));
	else
		printf("it has expired: 'aisbx gc' removes it\n");
}

static void kind_text(const json_t *s, char *text, size_t cap)
{
	snprintf(text, cap, "%s", json_is_true(json_object_get(s, "automatic")) ? "automatic" : "");
}

static const struct column snapshot_columns[] = {
	{ .head = "SNAPSHOT", .least = 8, .shrinks = true, .key = "name" },
	{ .head = "AGE", .goes = 1, .right = true, .key = "created_ms", .as = COLUMN_AGE },
	{ .head = "KIND", .goes = 2, .optional = true, .text = kind_text },
	{ .head = NULL },
};

static void print_stale(const json_t *list)
{
	const json_t *s;
	size_t i;

	json_array_foreach(list, i, s)
	{
		printf("%s%s ", i ? "" : "\nchanged outside since the box was made:\n  ", i ? " " : "");
		cli_print_name(stdout, *text_of(s, "path") ? text_of(s, "path") : text_of(s, "path_hex"));
		printf("%s%s\n", *text_of(s, "host") ? "  " : "", text_of(s, "host"));
	}
}

static void print_policy(const json_t *policy)
{
	scoped(drop_mem) char *text = policy_text(policy);

	if (text)
		print_line("policy", text);
}

static void print_notes(const json_t *metadata)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)metadata, key, value)
	{
		scoped(buf_finish) struct buf line = { 0 };

		buf_addf(&line, "%s=%s", key, json_string_value(value));
		print_line("metadata", buf_str(&line) ? line.data : "");
	}
}

static void print_variables(const json_t *names)
{
	scoped(buf_finish) struct buf line = { 0 };
	const json_t *name;
	size_t i;

	json_array_foreach(names, i, name) buf_addf(&line, "%s%s", i ? ", " : "", json_string_value(name));
	if (line.len)
		print_line("variables", buf_str(&line) ? line.data : "");
}

void cli_render_box(const json_t *b)
{
	const json_t *snapshots = json_object_get(b, "snapshot_list");

	printf("%s", paint(BOLD));
	cli_print_name(stdout, text_of(b, "name"));
	printf("%s  %s%s%s\n", paint(PLAIN), paint(DIM), text_of(b, "id"), paint(PLAIN));
	print_line("project", text_of(b, "project"));
	print_line("image", text_of(b, "image"));
	print_policy(json_object_get(b, "policy"));
	if (*text_of(b, "project_is") && strcmp(text_of(b, "project_is"), "there") != 0)
		print_line("project is", text_of(b, "project_is"));
	print_line("now in", text_of(b, "project_now"));
	print_line("profile", text_of(b, "profile"));
	print_notes(json_object_get(b, "metadata"));
	print_variables(json_object_get(b, "variables"));
	print_line("owner", text_of(b, "owner"));
	if (json_is_true(json_object_get(b, "shared")))
		print_line("shared", "others may use it, too");
	print_moment("made", number_of(b, "created_ms"));
	print_expiry(b);
	print_moment("pinned", number_of(b, "pinned_ms"));
	if (json_is_true(json_object_get(b, "autosnap")))
		print_line("snapshots", "automatic, after each run");
	if (json_is_true(json_object_get(b, "torn")))
		printf("%sthe last run was cut off: some of what it wrote may be missing%s\n", paint(YELLOW),
		       paint(PLAIN));
	if (json_array_size(snapshots)) {
		printf("\n");
		cli_print_columns(snapshot_columns, snapshots);
	}
	print_stale(json_object_get(b, "stale"));
}

void cli_render_file_stat(const json_t *f)
{
	print_line("path", *text_of(f, "path") ? text_of(f, "path") : text_of(f, "path_hex"));
	print_line("type", text_of(f, "type"));
	print_line("leads to", *text_of(f, "target") ? text_of(f, "target") : text_of(f, "target_hex"));
	if (!strcmp(text_of(f, "type"), "file"))
		print_size("size", number_of(f, "size"));
	print_line("mode", text_of(f, "mode"));
	print_moment("changed", number_of(f, "mtime_ms"));
	print_line("sha256", text_of(f, "sha256"));
}

void cli_render_artifact_show(const json_t *a)
{
	printf("%s", paint(BOLD));
	cli_print_name(stdout, text_of(a, "name"));
	printf("%s  %s%s%s\n", paint(PLAIN), paint(DIM), text_of(a, "id"), paint(PLAIN));
	print_line("note", text_of(a, "note"));
	print_line("from box", text_of(a, "box_name"));
	print_line("path", *text_of(a, "path") ? text_of(a, "path") : text_of(a, "path_hex"));
	print_line("run", text_of(a, "run"));
	print_line("type", text_of(a, "type"));
	print_line("media", text_of(a, "media"));
	print_size("size", number_of(a, "size"));
	if (number_of(a, "files") > 1) {
		print_label("files");
		printf("%lld\n", (long long)number_of(a, "files"));
	}
	print_line("mode", text_of(a, "mode"));
	print_moment("saved", number_of(a, "created_ms"));
	print_line("sha256", text_of(a, "sha256"));
}

/* What of gc is told, and how one and many are. */
static const struct {
	const char *key, *one, *many;
} removed[] = {
	{ "expired", "expired box", "expired boxes" },
	{ "layers", "layer that no box needed", "layers that no box needed" },
	{ "promotions", "promotion, which can no longer be undone",
	  "promotions, which can no longer be undone" },
	{ "blobs", "blob that no image needed", "blobs that no image needed" },
	{ "leftovers", "directory left by a crash", "directories left by a crash" },
	{ "logs", "old log of a detached run", "old logs of detached runs" },
	{ "forgotten", "old batch in 'lost'", "old batches in 'lost'" },
};

void cli_render_gc(const json_t *result)
{
	json_int_t aside = number_of(result, "aside");
	bool any = false;
	char size[32];

	for (size_t i = 0; i < sizeof(removed) / sizeof(*removed); i++) {
		json_int_t n = number_of(result, removed[i].key);

		if (n)
			printf("removed %lld %s\n", (long long)n, n == 1 ? removed[i].one : removed[i].many);
		any |= n != 0;
	}
	if (aside)
		printf("moved %lld thing%s that nothing knows of to 'lost' in the state directory\n",
		       (long long)aside, aside == 1 ? "" : "s");
	if (number_of(result, "shared"))
		printf("freed %s: equal files are stored once\n",
		       str_size((uint64_t)number_of(result, "shared"), size, sizeof(size)));
	if (number_of(result, "unreadable"))
		printf("no blob was removed: what an image needs could not be read; 'aisbx image verify' "
		       "tells "
		       "more\n");
	if (!any && !aside && !number_of(result, "shared") && !number_of(result, "unreadable"))
		printf("nothing to remove\n");
}
