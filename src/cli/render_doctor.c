/* SPDX-License-Identifier: Apache-2.0 */
/* The doctor's findings for people: a line per check, how to fix what is missing, a verdict at the end. */
#include <string.h>

#include "cli/cli.h"
#include "cli/render_common.h"

static const struct mark {
	const char *status, *on;
} marks[] = {
	{ "ok", "\033[32m" },
	{ "limited", "\033[33m" },
	{ "missing", "\033[31m" },
};

static const struct mode {
	const char *name, *words;
} modes[] = {
	{ "root", "ids of boxes are shifted" },
	{ "user", "boxes have your own id only" },
	{ "nested", "inside another user namespace" },
};

/* WORD, padded to 8, in the colour that STATUS has. */
static void print_mark(const char *word, const char *status, bool colour)
{
	const char *on = "";

	for (size_t i = 0; colour && i < sizeof(marks) / sizeof(*marks); i++)
		if (!strcmp(marks[i].status, status))
			on = marks[i].on;
	printf("%s%-8s%s", on, word, *on ? "\033[0m" : "");
}

static void print_check(const json_t *check, bool colour)
{
	printf("  ");
	print_mark(text_of(check, "status"), text_of(check, "status"), colour);
	printf(" %-13s ", text_of(check, "name"));
	cli_print_safe(stdout, text_of(check, "detail"));
	if (*text_of(check, "fix")) {
		printf("\n%25sfix: ", "");
		cli_print_safe(stdout, text_of(check, "fix"));
	}
	printf("\n");
}

static void print_words(const char *title, const json_t *list)
{
	const json_t *word;
	size_t i;

	printf("%s", title);
	json_array_foreach(list, i, word)
	{
		printf("%s", i ? ", " : "");
		cli_print_safe(stdout, json_string_value(word));
	}
	printf("%s\n", json_array_size(list) ? "" : "none");
}

static void print_facts(const json_t *result)
{
	const json_t *facts = json_object_get(result, "facts");

	printf("\n  cgroups: %s; ", text_of(facts, "cgroup"));
	print_words("delegated to you: ", json_object_get(facts, "cgroup_delegated"));
	print_words("  subordinate ids: ", json_object_get(facts, "subuid"));
	if (*text_of(facts, "container")) {
		printf("  inside a container: ");
		cli_print_safe(stdout, text_of(facts, "container"));
		printf("\n");
	}
}

static void print_leaks(const json_t *leaks, bool colour)
{
	static const char *const kinds[] = { "processes", "mounts", "cgroups", "namespaces", "files" };
	json_int_t total = 0;
	const json_t *line;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		total += json_integer_value(json_object_get(leaks, kinds[i]));
	printf("\n  ");
	print_mark(total ? "leaks" : "ok", total ? "missing" : "ok", colour);
	printf(" %-13s ", "leaks");
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		printf("%s%s %" JSON_INTEGER_FORMAT, i ? ", " : "", kinds[i],
		       json_integer_value(json_object_get(leaks, kinds[i])));
	printf("; live boxes %" JSON_INTEGER_FORMAT,
	       json_integer_value(json_object_get(leaks, "live_boxes")));
	if (number_of(leaks, "dead_runs"))
		printf("; dead runs %" JSON_INTEGER_FORMAT, number_of(leaks, "dead_runs"));
	printf("\n");
	json_array_foreach(json_object_get(leaks, "found"), i, line)
	{
		printf("%25s", "");
		cli_print_safe(stdout, json_string_value(line));
		printf("\n");
	}
}

/* The names of what is missing; the box itself only if nothing else explains it, and then with its reason. */
static void print_reasons(const json_t *list)
{
	const json_t *check;
	size_t i, n = 0;

	json_array_foreach(list, i, check)
	{
		const char *name = text_of(check, "name");

		if (!json_is_true(json_object_get(check, "refuses")))
			continue;
		if (strcmp(name, "box") != 0)
			printf("%s%s", n++ ? ", " : "missing ", name);
		else if (!n)
			cli_print_safe(stdout, text_of(check, "detail"));
	}
}

static void print_verdict(const json_t *result, bool colour)
{
	bool starts = json_is_true(json_object_get(result, "run_will_start"));
	const char *on = starts ? "\033[1;32m" : "\033[1;31m";

	printf("\n%saisbx run will %s: ", colour ? on : "", starts ? "start" : "refuse");
	if (starts)
		printf("%s walls", text_of(result, "level"));
	else
		print_reasons(json_object_get(result, "checks"));
	printf("%s\n", colour ? "\033[0m" : "");
}

void cli_render_doctor(const json_t *result)
{
	bool colour = cli_colour(stdout);
	const json_t *check;
	size_t i;

	printf("aisbx %s on Linux %s %s, as ", AISBX_VERSION, text_of(result, "kernel"),
	       text_of(result, "arch"));
	cli_print_safe(stdout, text_of(result, "user"));
	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(modes[i].name, text_of(result, "mode")))
			printf(": %s", modes[i].words);
	printf("\n\n");
	json_array_foreach(json_object_get(result, "checks"), i, check) print_check(check, colour);
	print_facts(result);
	if (json_object_get(result, "leaks"))
		print_leaks(json_object_get(result, "leaks"), colour);
	print_verdict(result, colour);
}
