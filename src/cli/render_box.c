/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes, snapshots, differences and history as text and drawings. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/scope.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/render_common.h"
#include "cli/text_width.h"
#include "cli/window.h"

/* As it is named at the command line: whose it is belongs to that. */
static void key_text(const json_t *box, char *text, size_t cap)
{
	snprintf(text, cap, "%s%s%s", text_of(box, "owner"), *text_of(box, "owner") ? "/" : "",
		 text_of(box, "name"));
}

/* When gc may take it; nothing for one that stays. */
static void expires_text(const json_t *box, char *text, size_t cap)
{
	json_int_t ms = number_of(box, "expires_ms") - (json_int_t)time(NULL) * 1000;
	char left[32];

	*text = 0;
	if (!number_of(box, "expires_ms"))
		return;
	if (ms > 86400000)
		snprintf(text, cap, "in %lld days", (long long)(ms + 43200000) / 86400000);
	else if (ms > 0)
		snprintf(text, cap, "in %s", str_ms((uint64_t)ms / 1000 * 1000, left, sizeof(left)));
	else
		snprintf(text, cap, "now: gc removes it");
}

static void print_no_boxes(const json_t *result)
{
	json_int_t others = number_of(result, "others");

	if (others)
		fprintf(stderr, "aisbx: no boxes of this project; %lld %s: 'aisbx ls --all'\n",
			(long long)others, others == 1 ? "other" : "others");
	else
		fprintf(stderr, "aisbx: no boxes; 'aisbx create NAME' makes one\n");
}
/* Which one is used if none is named. */
static void current_text(const json_t *box, char *text, size_t cap)
{
	snprintf(text, cap, "%s", json_is_true(json_object_get(box, "current")) ? "current" : "");
}

static const struct column box_columns[] = {
	{ .head = "NAME", .least = 8, .shrinks = true, .text = key_text },
	{ .head = "PROFILE", .least = 4, .goes = 2, .shrinks = true, .key = "profile" },
	{ .head = "SNAPSHOTS", .goes = 4, .right = true, .key = "snapshots", .as = COLUMN_NUMBER },
	{ .head = "AGE", .goes = 3, .right = true, .key = "created_ms", .as = COLUMN_AGE },
	{ .head = "PROJECT", .least = 12, .goes = 1, .shrinks = true, .key = "project" },
	{ .head = "EXPIRES", .least = 6, .goes = 5, .shrinks = true, .optional = true, .text = expires_text },
	{ .head = "", .optional = true, .text = current_text },
	{ .head = NULL },
};

void cli_render_boxes(const json_t *result)
{
	const json_t *list = json_object_get(result, "boxes");

	if (json_array_size(list))
		cli_print_columns(box_columns, list);
	else
		print_no_boxes(result);
}

struct tree {
	const json_t *boxes, *snapshots;
};

static void draw(const struct tree *t, const json_t *parent, const char *indent);

static void draw_one(const struct tree *t, const json_t *item, bool is_box, const char *indent,
		     const char *branch, const char *more)
{
	char below[512], age[32];

	printf("%s%s %s%s%s%s%s %s(%s%s, %s)%s\n", indent, branch, paint(is_box ? GREEN : YELLOW),
	       text_of(item, "owner"), *text_of(item, "owner") ? "/" : "", text_of(item, "name"),
	       paint(PLAIN), paint(DIM), json_is_true(json_object_get(item, "automatic")) ? "automatic " : "",
	       is_box ? "box" : "snapshot", age_text(number_of(item, "created_ms"), age, sizeof(age)),
	       paint(PLAIN));
	if (is_box)
		return;
	snprintf(below, sizeof(below), "%s%s", indent, more);
	draw(t, item, below);
}

/* Everything that stands on PARENT (NULL: on the machine itself). What stands alone is hardly indented:
 * chains are long. */
static void draw(const struct tree *t, const json_t *parent, const char *indent)
{
	const char *id = parent ? text_of(parent, "id") : "";
	size_t i, left = 0;
	const json_t *item;
	bool alone;

	json_array_foreach(t->snapshots, i, item) left += !strcmp(text_of(item, "parent"), id);
	json_array_foreach(t->boxes, i, item) left += !strcmp(text_of(item, "on"), id);
	alone = left == 1;
	json_array_foreach(t->boxes, i, item) if (!strcmp(text_of(item, "on"), id))
		draw_one(t, item, true, indent, alone || !--left ? "└─" : "├─", "");
	json_array_foreach(t->snapshots, i, item) if (!strcmp(text_of(item, "parent"), id))
	{
		left -= !alone;
		draw_one(t, item, false, indent, alone || !left ? "└─" : "├─",
			 alone  ? " "
			 : left ? "│  "
				: "   ");
	}
}

void cli_render_tree(const json_t *result)
{
	struct tree t = { json_object_get(result, "boxes"), json_object_get(result, "snapshots") };

	if (!json_array_size(t.boxes) && number_of(result, "others")) {
		print_no_boxes(result);
		return;
	}
	printf("this machine\n");
	draw(&t, NULL, "");
}

static const char *name_of(const json_t *change)
{
	return *text_of(change, "path") ? text_of(change, "path") : text_of(change, "path_hex");
}

static void render_changes(const json_t *result)
{
	const json_t *list = json_object_get(result, "changes"),
		     *summary = json_object_get(result, "summary"), *c;
	const char *between = "";
	size_t i;

	json_array_foreach(list, i, c)
	{
		const struct change_mark *m = change_mark_of(text_of(c, "kind"));

		printf("%s%s %-10s", paint(m->colour), m->mark, text_of(c, "type"));
		cli_print_name(stdout, name_of(c));
		printf("%s%s\n", json_is_true(json_object_get(c, "binary")) ? " (binary)" : "", paint(PLAIN));
	}
	print_more(result, "changes");
	if (!json_array_size(list)) {
		printf("no changes\n");
		return;
	}
	for (const struct change_mark *m = change_marks; m->kind; m++)
		if (number_of(summary, m->kind)) {
			printf("%s%lld %s", between, (long long)number_of(summary, m->kind), m->kind);
			between = ", ";
		}
	printf("\n");
}

/* N of MOST as a part of WIDTH columns, at least one unless it is nothing. */
static int scale(json_int_t n, json_int_t most, int width)
{
	return most <= width ? (int)n : n ? 1 + (int)((double)n * (width - 1) / (double)most) : 0;
}

static void draw_line(char c, int n, const char *colour)
{
	printf("%s", n ? paint(colour) : "");
	for (int i = 0; i < n; i++)
		putchar(c);
	printf("%s", n ? paint(PLAIN) : "");
}

/* The columns of the table of counts. */
struct columns {
	int name, count, graph;
	json_int_t most; /* lines of one file */
};

/* Bytes of a name that are shown. */
#define MAX_SHOWN 16384

static int shown_width(const char *name)
{
	char shown[MAX_SHOWN];

	text_as_name(name, shown, sizeof(shown));
	return text_width(shown);
}

static struct columns measure(const json_t *list)
{
	struct columns w = { 0 };
	int width, height;
	const json_t *c;
	size_t i;

	json_array_foreach(list, i, c)
	{
		json_int_t n = number_of(c, "added") + number_of(c, "removed");
		int name = json_object_get(c, "added") ? shown_width(name_of(c)) : 0;
		int count = json_is_null(json_object_get(c, "added"))
				    ? 3
				    : snprintf(NULL, 0, "%lld", (long long)n);

		w.most = n > w.most ? n : w.most;
		w.name = name > w.name ? name : w.name;
		w.count = count > w.count ? count : w.count;
	}
	/* In a window long names are cut, and the graph gets what is left. */
	if (window_of(stdout, &width, &height))
		w.name = w.name < width - w.count - 15 ? w.name
			 : width - w.count - 15 > 8    ? width - w.count - 15
						       : 8;
	else
		width = 80;
	w.graph = width - w.name - w.count - 5 > 10 ? width - w.name - w.count - 5 : 10;
	return w;
}

static void draw_counts(const json_t *change, const struct columns *w)
{
	json_int_t added = number_of(change, "added"), removed = number_of(change, "removed");
	int all = scale(added + removed, w->most, w->graph), plus;

	if (all < 2 && added && removed)
		all = 2;
	plus = added < removed ? scale(added, w->most, w->graph) : all - scale(removed, w->most, w->graph);
	printf("%*lld%s", w->count, (long long)(added + removed), all ? " " : "");
	draw_line('+', plus, GREEN);
	draw_line('-', all - plus, RED);
}

/* " name    | ", cut if it is longer than WIDTH */
static void print_padded(const char *name, int width)
{
	scoped(buf_finish) struct buf b = { 0 };
	char shown[MAX_SHOWN];

	text_as_name(name, shown, sizeof(shown));
	text_width_add(&b, shown, width, true, false);
	printf(" %s | ", buf_str(&b) ? b.data : "");
}

static void render_stat(const json_t *result)
{
	const json_t *list = json_object_get(result, "changes"), *stat = json_object_get(result, "stat"), *c;
	json_int_t files = number_of(stat, "files"), added = number_of(stat, "insertions");
	json_int_t removed = number_of(stat, "deletions");
	struct columns w = measure(list);
	size_t i;

	json_array_foreach(list, i, c)
	{
		const json_t *lines = json_object_get(c, "added");

		if (!lines) /* a directory, or nothing of its content */
			continue;
		print_padded(name_of(c), w.name);
		if (json_is_null(lines))
			printf("%*s %lld -> %lld bytes", w.count, "Bin",
			       (long long)number_of(json_object_get(c, "old"), "size"),
			       (long long)number_of(json_object_get(c, "new"), "size"));
		else
			draw_counts(c, &w);
		putchar('\n');
	}
	print_more(result, "changes");
	printf(" %lld file%s changed", (long long)files, files == 1 ? "" : "s");
	if (added || !removed)
		printf(", %lld insertion%s(+)", (long long)added, added == 1 ? "" : "s");
	if (removed || !added)
		printf(", %lld deletion%s(-)", (long long)removed, removed == 1 ? "" : "s");
	putchar('\n');
}

static void render_repositories(const json_t *result)
{
	const json_t *r;
	size_t i;

	json_array_foreach(json_object_get(result, "repositories"), i, r)
	{
		printf("%sG ", paint(GREEN));
		cli_print_name(stdout, *text_of(r, "path") ? text_of(r, "path") : text_of(r, "path_hex"));
		printf("%s  git repository changed; 'aisbx promote --dry-run' shows what is promoted\n",
		       paint(PLAIN));
	}
}

void cli_render_diff(const json_t *result)
{
	const json_t *patch = json_object_get(result, "patch"), *stat = json_object_get(result, "stat");

	if (!patch && !stat)
		render_changes(result);
	if (stat)
		render_stat(result);
	if (!patch) {
		render_repositories(result);
		print_ignored(stdout, result);
		cli_render_system(result);
	}
	if (patch && stat)
		putchar('\n');
	if (patch && isatty(STDOUT_FILENO))
		window_show_patch(json_string_value(patch), json_string_length(patch));
	else if (patch)
		fwrite(json_string_value(patch), 1, json_string_length(patch), stdout);
	if (patch)
		print_ignored(stderr, result);
}

/* Members that count bytes; those that end with "_ms" are times. */
static bool is_bytes(const char *name)
{
	return str_is_one_of(name,
			     "usage.mem_peak|usage.disk|limits.memory|limits.disk|limits.file_size|"
			     "limits.output|truncated.stdout|truncated.stderr|usage.written|usage.read");
}

static bool is_ms(const char *name)
{
	size_t n = strlen(name);

	return (n > 3 && !strcmp(name + n - 3, "_ms")) ||
	       str_is_one_of(name, "limits.wall_time|limits.cpu_time|limits.lifetime");
}

/* "a, b" for texts; anything else as JSON writes it. */
static void add_list(const json_t *list, struct buf *ret)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		scoped(drop_mem) char *dump =
			json_is_string(item) ? NULL : json_dumps(item, JSON_COMPACT | JSON_ENCODE_ANY);

		buf_addf(ret, "%s%s", i ? ", " : "",
			 json_is_string(item) ? json_string_value(item)
			 : dump               ? dump
					      : "");
	}
}

/* The value of the member NAME as a person writes it; BY: what enforces it, or "". */
static void render_member(const char *name, const json_t *value, const char *by)
{
	scoped(buf_finish) struct buf b = { 0 };
	double number = json_number_value(value);
	char text[32];

	if (json_is_array(value))
		add_list(value, &b);
	else if (json_is_string(value))
		buf_addf(&b, "%s", json_string_value(value));
	else if (json_is_number(value) && is_bytes(name))
		buf_addf(&b, "%s", str_size((uint64_t)number, text, sizeof(text)));
	else if (json_is_number(value) && is_ms(name))
		buf_addf(&b, "%s", str_ms((uint64_t)number, text, sizeof(text)));
	else if (json_is_number(value))
		buf_addf(&b, "%.9g", number);
	else
		buf_addf(&b, "%s", json_is_true(value) ? "yes" : "no");
	if (*by)
		buf_addf(&b, " (%s)", by);
	if (!b.len || !buf_str(&b))
		return;
	printf("  %s%-22s%s ", paint(DIM), name, paint(PLAIN));
	cli_print_name(stdout, b.data);
	putchar('\n');
}

/* Nothing that is as it always is: nothing cut off, nothing left out; how to repeat the run is for replay. */
static bool is_told(const char *name, const json_t *value)
{
	return !json_is_null(value) && strcmp(name, "record") != 0 && strcmp(name, "run") != 0 &&
	       !(!strncmp(name, "truncated.", 10) && !json_integer_value(value)) &&
	       !(!strcmp(name, "violations_not_listed") && !json_integer_value(value));
}

/* Scalars and lists of a result, a line each: "usage.cpu_ms  1.5 s". */
static void render_members(const json_t *object, const char *prefix)
{
	const char *key;
	json_t *value;
	char name[128];

	json_object_foreach((json_t *)object, key, value)
	{
		snprintf(name, sizeof(name), "%s%s", prefix, key);
		if (!is_told(name, value))
			continue;
		if (!strcmp(name, "net")) { /* a list that a line cannot hold */
			cli_render_net(value);
		} else if (json_is_object(value) && json_object_get(value, "value")) {
			render_member(name, json_object_get(value, "value"), text_of(value, "by"));
		} else if (json_is_object(value)) {
			snprintf(name, sizeof(name), "%s%s.", prefix, key);
			render_members(value, name);
		} else {
			render_member(name, value, "");
		}
	}
}

/* The members of an event: "name: one, files: 3". */
static void what_text(const json_t *event, char *text, size_t cap)
{
	const json_t *what = json_object_get(event, "what");
	const char *key;
	json_t *value;
	size_t len = 0;

	*text = 0;
	if (json_is_string(what))
		snprintf(text, cap, "%s", json_string_value(what));
	json_object_foreach((json_t *)what, key, value)
	{
		scoped(drop_mem) char *dump =
			json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));

		if (json_is_null(value) || len >= cap)
			continue;
		len += (size_t)snprintf(text + len, cap - len, "%s%s: %s", len ? ", " : "", key,
					json_is_string(value) ? json_string_value(value)
					: dump                ? dump
							      : "");
	}
}

static const struct column event_columns[] = {
	{ .head = "AGE", .right = true, .key = "time_ms", .as = COLUMN_AGE },
	{ .head = "EVENT", .key = "kind" },
	{ .head = "BOX", .least = 8, .goes = 1, .shrinks = true, .optional = true, .key = "box" },
	{ .head = "WHAT", .least = 12, .goes = 2, .shrinks = true, .optional = true, .text = what_text },
	{ .head = NULL },
};

static const char *status_colour(const json_t *run)
{
	return !strcmp(text_of(run, "status"), "ok") ? GREEN : RED;
}

static const struct column run_columns[] = {
	{ .head = "RUN", .key = "run" },
	{ .head = "STATUS", .goes = 1, .key = "status", .colour = status_colour },
	{ .head = "TIME", .goes = 3, .right = true, .key = "wall_ms", .as = COLUMN_MS },
	{ .head = "AGE", .goes = 4, .right = true, .key = "started_ms", .as = COLUMN_AGE },
	{ .head = "COMMAND", .least = 12, .goes = 2, .shrinks = true, .key = "command" },
	{ .head = NULL },
};

void cli_render_history(const json_t *result)
{
	const json_t *list = json_object_get(result, "runs"), *events = json_object_get(result, "events"), *r;
	size_t i;

	if (json_array_size(events))
		cli_print_columns(event_columns, events);
	if (json_array_size(events) && json_array_size(list))
		putchar('\n');
	if (json_array_size(list))
		cli_print_columns(run_columns, list);
	if (!json_array_size(events) && !json_array_size(list))
		fprintf(stderr,
			*text_of(result, "grep") ? "aisbx: no run printed that\n" : "aisbx: no runs yet\n");
	json_array_foreach(list, i, r)
	{
		if (!json_is_object(json_object_get(r, "result")) && !json_object_get(r, "lines"))
			continue;
		printf("\n%s%s%s\n", paint(BOLD), text_of(r, "run"), paint(PLAIN));
		render_members(json_object_get(r, "result"), "");
		cli_render_found_lines(r);
	}
}

void cli_render_names(const json_t *result)
{
	const json_t *list = json_object_get(result, "boxes"), *b;
	size_t i;

	if (json_is_string(json_object_get(result, "name")))
		printf("%s\n", text_of(result, "name"));
	cli_render_secret_files(result);
	json_array_foreach(list, i, b) printf("%s\n", text_of(b, "name"));
}
