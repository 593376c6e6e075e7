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
#include "cli/render_common.h"

static const char *age_of(const json_t *object, const char *key, char *buf, size_t cap)
{
	json_int_t ms = (json_int_t)time(NULL) * 1000 - number_of(object, key);

	str_ms(ms > 0 ? (uint64_t)ms / 1000 * 1000 : 0, buf, cap);
	return !strcmp(buf, "0 ms") ? "now" : buf;
}

#define CYAN "\033[36m"

/* When gc may take it; nothing for one that stays. */
static void print_end(const json_t *box)
{
	json_int_t ms = number_of(box, "expires_ms") - (json_int_t)time(NULL) * 1000;
	char left[32];

	if (!number_of(box, "expires_ms"))
		return;
	if (ms > 86400000)
		printf("  (expires in %lld days)", (long long)(ms + 43200000) / 86400000);
	else if (ms > 0)
		printf("  (expires in %s)", str_ms((uint64_t)ms / 1000 * 1000, left, sizeof(left)));
	else
		printf("  (expired: gc removes it)");
}

void cli_render_boxes(const json_t *result)
{
	const json_t *list = json_object_get(result, "boxes"), *b;
	char age[32], key[160];
	size_t i;

	if (!json_array_size(list)) {
		fprintf(stderr, "aisbx: no boxes; 'aisbx create NAME' makes one\n");
		return;
	}
	printf("%-24s %-8s %9s %10s  %s\n", "NAME", "PROFILE", "SNAPSHOTS", "AGE", "PROJECT");
	json_array_foreach(list, i, b)
	{
		/* As it is named at the command line: whose it is belongs to that. */
		snprintf(key, sizeof(key), "%s%s%s", text_of(b, "owner"), *text_of(b, "owner") ? "/" : "",
			 text_of(b, "name"));
		printf("%-24s %-8s %9lld %10s  ", key, text_of(b, "profile"),
		       (long long)number_of(b, "snapshots"), age_of(b, "created_ms", age, sizeof(age)));
		cli_print_name(stdout, text_of(b, "project"));
		print_end(b);
		putchar('\n');
	}
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
	       is_box ? "box" : "snapshot", age_of(item, "created_ms", age, sizeof(age)), paint(PLAIN));
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

/* Columns NAME takes: characters, not bytes. */
static int width_of(const char *name)
{
	int n = 0;

	for (; *name; name++)
		n += (*name & 0xC0) != 0x80;
	return n;
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

static struct columns measure(const json_t *list)
{
	struct columns w = { 0 };
	const json_t *c;
	size_t i;

	json_array_foreach(list, i, c)
	{
		json_int_t n = number_of(c, "added") + number_of(c, "removed");
		int name = json_object_get(c, "added") ? width_of(name_of(c)) : 0;
		int count = json_is_null(json_object_get(c, "added"))
				    ? 3
				    : snprintf(NULL, 0, "%lld", (long long)n);

		w.most = n > w.most ? n : w.most;
		w.name = name > w.name ? name : w.name;
		w.count = count > w.count ? count : w.count;
	}
	w.graph = 80 - w.name - w.count - 5 > 10 ? 80 - w.name - w.count - 5 : 10;
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
		putchar(' ');
		cli_print_name(stdout, name_of(c));
		printf("%*s | ", w.name - width_of(name_of(c)), "");
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

static const char *colour_of(const char *line)
{
	return *line == '+' ? GREEN : *line == '-' ? RED : !strncmp(line, "@@", 2) ? CYAN : "";
}

/* Whoever wrote these files may want to move the cursor, hide a line or turn text around. */
static void show_patch(const char *patch, size_t len)
{
	scoped(buf_finish) struct buf b = { 0 };
	char *save = NULL;

	buf_add_utf8(&b, patch, len);
	if (!buf_str(&b))
		return;
	for (size_t i = 0; i < b.len; i++)
		if (!b.data[i])
			b.data[i] = 1; /* is shown as other control characters */
	for (char *line = strtok_r(b.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		printf("%s", paint(colour_of(line)));
		cli_print_safe(stdout, line);
		printf("%s\n", paint(*colour_of(line) ? PLAIN : ""));
	}
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
	}
	if (patch && stat)
		putchar('\n');
	if (patch && isatty(STDOUT_FILENO))
		show_patch(json_string_value(patch), json_string_length(patch));
	else if (patch)
		fwrite(json_string_value(patch), 1, json_string_length(patch), stdout);
	if (patch)
		print_ignored(stderr, result);
}

/* Scalars and lists of a result, a line each: "usage.cpu_ms  1.5". */
static void render_members(const json_t *object, const char *prefix)
{
	const char *key;
	json_t *value;
	char name[128];

	json_object_foreach((json_t *)object, key, value)
	{
		snprintf(name, sizeof(name), "%s%s", prefix, key);
		if (!strcmp(name, "net")) { /* a list that a line cannot hold */
			cli_render_net(value);
		} else if (json_is_object(value)) {
			snprintf(name, sizeof(name), "%s%s.", prefix, key);
			render_members(value, name);
		} else if (!json_is_null(value) && !(json_is_array(value) && !json_array_size(value))) {
			char *text =
				json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));

			printf("  %s%-22s%s ", paint(DIM), name, paint(PLAIN));
			cli_print_name(stdout, json_is_string(value) ? json_string_value(value)
					       : text                ? text
								     : "");
			putchar('\n');
			free(text);
		}
	}
}

static void render_events(const json_t *list)
{
	const json_t *event;
	char age[32];
	size_t i;

	json_array_foreach(list, i, event)
	{
		char *what = json_dumps(json_object_get(event, "what"), JSON_ENCODE_ANY | JSON_COMPACT);

		printf("%10s  %-16s %s ", age_of(event, "time_ms", age, sizeof(age)), text_of(event, "kind"),
		       text_of(event, "box"));
		cli_print_name(stdout, what ? what : "");
		putchar('\n');
		free(what);
	}
}

void cli_render_history(const json_t *result)
{
	const json_t *list = json_object_get(result, "runs"), *r;
	char age[32], took[32];
	size_t i;

	render_events(json_object_get(result, "events"));
	json_array_foreach(list, i, r)
	{
		bool ok = !strcmp(text_of(r, "status"), "ok");

		printf("%s %s%-11s%s %8s %10s  ", text_of(r, "run"), paint(ok ? GREEN : RED),
		       text_of(r, "status"), paint(PLAIN),
		       str_ms((uint64_t)json_number_value(json_object_get(r, "wall_ms")), took, sizeof(took)),
		       age_of(r, "started_ms", age, sizeof(age)));
		cli_print_name(stdout, text_of(r, "command"));
		putchar('\n');
		render_members(json_object_get(r, "result"), "");
	}
}

void cli_render_names(const json_t *result)
{
	const json_t *list = json_object_get(result, "boxes"), *b;
	size_t i;

	if (json_is_string(json_object_get(result, "name")))
		printf("%s\n", text_of(result, "name"));
	json_array_foreach(list, i, b) printf("%s\n", text_of(b, "name"));
}
