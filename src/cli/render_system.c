/* SPDX-License-Identifier: Apache-2.0 */
/* What a box changed of the system, as text. */
#include <string.h>

#include "cli/cli.h"
#include "cli/render_common.h"

#define MOST_NAMES 10 /* of packages in a line */

/* "2 packages installed: hello 2.10-3, cowsay 3.03" */
static void print_packages(const json_t *packages, const char *change)
{
	const json_t *p;
	size_t i, n = 0, told = 0;

	json_array_foreach(packages, i, p) n += !strcmp(text_of(p, "change"), change);
	if (!n)
		return;
	printf("%zu package%s %s:", n, n == 1 ? "" : "s", change);
	json_array_foreach(packages, i, p)
	{
		const char *version = text_of(p, "version"), *previous = text_of(p, "previous");

		if (strcmp(text_of(p, "change"), change) != 0 || told++ >= MOST_NAMES)
			continue;
		printf("%s %s", told > 1 ? "," : "", text_of(p, "name"));
		if (*version && *previous && strcmp(version, previous) != 0)
			printf(" %s (was %s)", version, previous);
		else
			printf(" %s", *version ? version : previous);
		if (!strcmp(text_of(p, "manager"), "pip"))
			printf(" (pip)");
	}
	if (n > MOST_NAMES)
		printf(" and %zu more", n - MOST_NAMES);
	putchar('\n');
}

static void print_files(const json_t *system)
{
	const json_t *d;
	size_t i;

	json_array_foreach(json_object_get(system, "changes"), i, d)
	{
		const struct change_mark *m = change_mark_of(text_of(d, "kind"));

		if (json_is_true(json_object_get(d, "noise")))
			continue;
		printf("%s%s %-10s", paint(m->colour), m->mark, text_of(d, "type"));
		cli_print_name(stdout, *text_of(d, "path") ? text_of(d, "path") : text_of(d, "path_hex"));
		printf("%s\n", paint(PLAIN));
	}
}

void cli_render_system(const json_t *result)
{
	static const char *const changes[] = { "installed",  "removed",    "upgraded",
					       "downgraded", "configured", "unpacked" };
	const json_t *system = json_object_get(result, "system"), *d;
	json_int_t noise = number_of(system, "noise");
	size_t i;

	if (!json_is_object(system))
		return;
	for (i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		print_packages(json_object_get(system, "packages"), changes[i]);
	i = json_array_size(json_object_get(system, "users"));
	if (i)
		printf("%zu user%s added: %s%s\n", i, i == 1 ? "" : "s",
		       json_string_value(json_array_get(json_object_get(system, "users"), 0)),
		       i == 1 ? "" : " and others");
	print_files(system);
	json_array_foreach(json_object_get(system, "directories"), i, d)
	{
		json_int_t n = number_of(d, "files");

		cli_print_name(stdout, *text_of(d, "path") ? text_of(d, "path") : text_of(d, "path_hex"));
		printf(": %lld file%s changed\n", (long long)n, n == 1 ? "" : "s");
	}
	if (noise)
		printf("%s%lld other file%s: logs, caches, notes of package managers%s\n", paint(DIM),
		       (long long)noise, noise == 1 ? "" : "s", paint(PLAIN));
}

void cli_render_commands(const json_t *result)
{
	const json_t *commands = json_object_get(result, "commands"), *c;
	size_t i;

	if (!json_array_size(commands))
		printf("No packages were changed in the box.\n");
	json_array_foreach(commands, i, c) printf("%s\n", json_string_value(c));
}
