/* SPDX-License-Identifier: Apache-2.0 */
/* Results of operations on profiles as text: lists, files as YAML, and where values come from. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/render_common.h"

static void about_text(const json_t *p, char *text, size_t cap)
{
	snprintf(text, cap, "%s", *text_of(p, "error") ? text_of(p, "error") : text_of(p, "about"));
}

/* Not of the shipped ones, which are no files. */
static void file_text(const json_t *p, char *text, size_t cap)
{
	snprintf(text, cap, "%s",
		 strncmp(text_of(p, "file"), "shipped:", 8) && !*text_of(p, "error") ? text_of(p, "file")
										     : "");
}

static const char *bold(const json_t *p)
{
	return *text_of(p, "error") ? RED : BOLD;
}

static const struct column profile_columns[] = {
	{ .head = "PROFILE", .least = 8, .shrinks = true, .key = "name", .colour = bold },
	{ .head = "ABOUT", .least = 20, .goes = 1, .shrinks = true, .text = about_text },
	{ .head = "FILE", .least = 12, .goes = 2, .shrinks = true, .optional = true, .text = file_text },
	{ .head = NULL },
};

void cli_render_profile_ls(const json_t *result)
{
	cli_print_columns(profile_columns, json_object_get(result, "profiles"));
}

/* A text that YAML cannot take for anything else; JSON's own quotes are YAML's, too. */
static void put_scalar(const json_t *v)
{
	const char *text = json_string_value(v);
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%-";
	static const char *const words[] = { "null", "true", "false", "yes", "no", "on", "off", "y", "n" };
	bool quote = !text || !*text || strspn(text, plain) != strlen(text) || strchr("-.%", *text);

	for (size_t i = 0; text && i < sizeof(words) / sizeof(*words); i++)
		quote = quote || !strcasecmp(words[i], text);
	if (quote)
		json_dumpf(v, stdout, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	else
		fputs(text, stdout);
}

/* What has keys is one per line, for people. */
static void put_list(const json_t *list, int depth)
{
	const json_t *item;
	bool plain = true;
	size_t i;

	json_array_foreach(list, i, item) plain = plain && !json_is_object(item);
	if (!plain) {
		json_array_foreach(list, i, item)
		{
			printf("\n%*s- ", depth * 2, "");
			json_is_string(item)
				? put_scalar(item)
				: (void)json_dumpf(item, stdout, JSON_ENSURE_ASCII | JSON_PRESERVE_ORDER);
		}
		printf("\n");
		return;
	}
	printf(" [");
	json_array_foreach(list, i, item)
	{
		printf(i ? ", " : "");
		put_scalar(item);
	}
	printf("]\n");
}

void cli_put_yaml(const json_t *map, int depth)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)map, key, v)
	{
		printf("%*s", depth * 2, "");
		cli_print_name(stdout, key);
		printf(":");
		if (json_is_object(v) && json_object_size(v) && depth < 8) {
			printf("\n");
			cli_put_yaml(v, depth + 1);
			continue;
		}
		if (json_is_array(v)) {
			put_list(v, depth + 1);
			continue;
		}
		printf(" ");
		json_is_object(v) ? (void)printf("{}") : put_scalar(v);
		printf("\n");
	}
}

void cli_render_profile_show(const json_t *result)
{
	printf("# All values in effect with the profile ");
	cli_print_name(stdout, text_of(result, "name"));
	printf(".\n");
	cli_put_yaml(json_object_get(result, "profile"), 0);
	cli_render_notes(result);
}

void cli_render_profile_check(const json_t *result)
{
	const json_t *files = json_object_get(result, "files"), *file;
	size_t i;

	json_array_foreach(files, i, file)
	{
		printf(i ? ", which extends " : "good: ");
		cli_print_name(stdout, json_string_value(file));
	}
	printf("\n");
	cli_render_notes(result);
}

void cli_render_profile_explain(const json_t *result)
{
	const json_t *v;
	size_t i;

	printf("profile ");
	cli_print_name(stdout, text_of(result, "profile"));
	printf(", chosen by %s\n", text_of(result, "chosen_by"));
	json_array_foreach(json_object_get(result, "values"), i, v)
	{
		const char *name = text_of(v, "name"), *from = text_of(v, "from");
		bool nobody = !strcmp(from, "default");
		char left[80];

		snprintf(left, sizeof(left), "%s%s%.50s", *name ? name : "", *name ? " " : "",
			 text_of(v, "value"));
		printf("%s%-12s ", paint(nobody ? DIM : ""), text_of(v, "key"));
		cli_print_name(stdout, left);
		printf("%*s  ", (int)(strlen(left) < 18 ? 18 - strlen(left) : 0), "");
		cli_print_name(stdout, from);
		if (number_of(v, "line"))
			printf(":%lld", number_of(v, "line"));
		printf("%s\n", paint(nobody ? PLAIN : ""));
	}
}

static void put_side(const char *mark, const char *colour, const json_t *d, const char *side)
{
	const json_t *v = json_object_get(d, side);

	printf("%s%s %s: ", paint(colour), mark, text_of(d, "key"));
	if (json_is_string(v))
		cli_print_name(stdout, json_string_value(v));
	else
		json_dumpf(v, stdout, JSON_ENSURE_ASCII | JSON_PRESERVE_ORDER);
	printf("%s\n", paint(PLAIN));
}

void cli_render_profile_diff(const json_t *result)
{
	const json_t *list = json_object_get(result, "differences"), *d;
	size_t i;

	if (json_array_size(list) == 0) {
		printf("no difference\n");
		return;
	}
	printf("--- ");
	cli_print_name(stdout, text_of(result, "a"));
	printf("\n+++ ");
	cli_print_name(stdout, text_of(result, "b"));
	printf("\n");
	json_array_foreach(list, i, d)
	{
		put_side("-", RED, d, "a");
		put_side("+", GREEN, d, "b");
	}
}
