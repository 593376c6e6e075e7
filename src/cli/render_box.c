/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes, snapshots, differences and history in words and drawings. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "cli/cli.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

static json_int_t number_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static const char *age_of(const json_t *object, const char *key, char *buf, size_t cap)
{
	json_int_t ms = (json_int_t)time(NULL) * 1000 - number_of(object, key);

	str_ms(ms > 0 ? (uint64_t)ms / 1000 * 1000 : 0, buf, cap);
	return !strcmp(buf, "0 ms") ? "now" : buf;
}

static const char *paint(const char *code)
{
	return cli_colour(stdout) ? code : "";
}

#define GREEN  "\033[32m"
#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define DIM    "\033[2m"
#define PLAIN  "\033[0m"

void cli_render_boxes(const json_t *result)
{
	const json_t *list = json_object_get(result, "boxes"), *b;
	char age[32];
	size_t i;

	if (!json_array_size(list)) {
		fprintf(stderr, "aisbx: there are no boxes; 'aisbx create NAME' makes one\n");
		return;
	}
	printf("%-24s %-8s %9s %10s  %s\n", "NAME", "PROFILE", "SNAPSHOTS", "AGE", "PROJECT");
	json_array_foreach(list, i, b) {
		printf("%-24s %-8s %9lld %10s  ", text_of(b, "name"), text_of(b, "profile"),
		       (long long)number_of(b, "snapshots"), age_of(b, "created_ms", age, sizeof(age)));
		cli_print_name(stdout, text_of(b, "project"));
		putchar('\n');
	}
}

struct tree {
	const json_t *boxes, *snapshots;
};

static void draw(const struct tree *t, const json_t *parent, const char *indent);

static void draw_one(const struct tree *t, const json_t *item, bool is_box, const char *indent, const char *branch,
		     const char *more)
{
	char below[512], age[32];

	printf("%s%s %s%s%s %s(%s%s, %s)%s\n", indent, branch, paint(is_box ? GREEN : YELLOW), text_of(item, "name"),
	       paint(PLAIN), paint(DIM), json_is_true(json_object_get(item, "automatic")) ? "automatic " : "",
	       is_box ? "box" : "snapshot", age_of(item, "created_ms", age, sizeof(age)), paint(PLAIN));
	if (is_box)
		return;
	snprintf(below, sizeof(below), "%s%s", indent, more);
	draw(t, item, below);
}

/* Everything that stands on PARENT (NULL: on the machine itself). What stands alone is hardly indented: chains are long. */
static void draw(const struct tree *t, const json_t *parent, const char *indent)
{
	const char *id = parent ? text_of(parent, "id") : "";
	size_t i, left = 0;
	const json_t *item;
	bool alone;

	json_array_foreach(t->snapshots, i, item)
		left += !strcmp(text_of(item, "parent"), id);
	json_array_foreach(t->boxes, i, item)
		left += !strcmp(text_of(item, "on"), id);
	alone = left == 1;
	json_array_foreach(t->boxes, i, item)
		if (!strcmp(text_of(item, "on"), id))
			draw_one(t, item, true, indent, alone || !--left ? "└─" : "├─", "");
	json_array_foreach(t->snapshots, i, item)
		if (!strcmp(text_of(item, "parent"), id)) {
			left -= !alone;
			draw_one(t, item, false, indent, alone || !left ? "└─" : "├─", alone ? " " : left ? "│  " : "   ");
		}
}

void cli_render_tree(const json_t *result)
{
	struct tree t = { json_object_get(result, "boxes"), json_object_get(result, "snapshots") };

	printf("this machine\n");
	draw(&t, NULL, "");
}

void cli_render_diff(const json_t *result)
{
	static const struct {
		const char *kind, *mark, *colour;
	} marks[] = { { "created", "+", GREEN }, { "deleted", "-", RED }, { "modified", "~", YELLOW },
		      { "replaced", "!", YELLOW }, { "mode", "m", DIM } };
	const json_t *list = json_object_get(result, "changes"), *summary = json_object_get(result, "summary"), *c;
	const char *between = "";
	size_t i;

	json_array_foreach(list, i, c)
		for (size_t k = 0; k < sizeof(marks) / sizeof(*marks); k++)
			if (!strcmp(text_of(c, "kind"), marks[k].kind)) {
				printf("%s%s %-10s", paint(marks[k].colour), marks[k].mark, text_of(c, "type"));
				cli_print_name(stdout, *text_of(c, "path") ? text_of(c, "path") : text_of(c, "path_hex"));
				printf("%s\n", paint(PLAIN));
			}
	if (!json_array_size(list)) {
		printf("no changes\n");
		return;
	}
	for (size_t k = 0; k < sizeof(marks) / sizeof(*marks); k++)
		if (number_of(summary, marks[k].kind)) {
			printf("%s%lld %s", between, (long long)number_of(summary, marks[k].kind), marks[k].kind);
			between = ", ";
		}
	printf("\n");
}

void cli_render_history(const json_t *result)
{
	const json_t *list = json_object_get(result, "runs"), *r;
	char age[32], took[32];
	size_t i;

	json_array_foreach(list, i, r) {
		bool ok = !strcmp(text_of(r, "status"), "ok");

		printf("%s %s%-11s%s %8s %10s  ", text_of(r, "run"), paint(ok ? GREEN : RED), text_of(r, "status"),
		       paint(PLAIN), str_ms((uint64_t)json_number_value(json_object_get(r, "wall_ms")), took, sizeof(took)),
		       age_of(r, "started_ms", age, sizeof(age)));
		cli_print_name(stdout, text_of(r, "command"));
		putchar('\n');
	}
}

void cli_render_names(const json_t *result)
{
	const json_t *list = json_object_get(result, "boxes"), *b;
	size_t i;

	if (json_is_string(json_object_get(result, "name")))
		printf("%s\n", text_of(result, "name"));
	json_array_foreach(list, i, b)
		printf("%s\n", text_of(b, "name"));
}
