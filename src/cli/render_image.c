/* SPDX-License-Identifier: Apache-2.0 */
/* Images as text: a table, one with all that is known of it, and what became of an operation. */
#include <string.h>

#include "base/scope.h"
#include "base/shell_words.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/render_common.h"

#define SHORT_DIGEST 19 /* "sha256:" and 12 digits */

static void label(const char *what)
{
	printf("%s%-11s%s ", paint(DIM), what, paint(PLAIN));
}

static void line(const char *what, const char *value)
{
	if (!*value)
		return;
	label(what);
	cli_print_name(stdout, value);
	printf("\n");
}

/* The words of a list, each as a shell has it. */
static void words_line(const char *what, const json_t *list)
{
	const json_t *word;
	size_t i;

	if (!json_array_size(list))
		return;
	label(what);
	json_array_foreach(list, i, word)
	{
		printf("%s", i ? " " : "");
		cli_print_name(stdout, json_is_string(word) ? json_string_value(word) : "?");
	}
	printf("\n");
}

/* Each on a line of its own. */
static void each_line(const char *what, const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
		line(i ? "" : what, json_is_string(item) ? json_string_value(item) : "?");
}

static void keys_line(const char *what, const json_t *object)
{
	const char *key, *between = "";
	json_t *value;

	if (!json_object_size(object))
		return;
	label(what);
	json_object_foreach((json_t *)object, key, value)
	{
		printf("%s", between);
		cli_print_name(stdout, key);
		between = ", ";
	}
	printf("\n");
}

static void policy_line(const json_t *policy)
{
	scoped(drop_mem) char *text = policy_text(policy);

	if (text)
		line("policy", text);
}

static void size_line(const char *what, json_int_t bytes)
{
	char size[32];

	label(what);
	printf("%s\n", str_size((uint64_t)bytes, size, sizeof(size)));
}

/* What a person may miss later; nothing if nothing is missing. */
static void tell_left_out(const json_t *left_out)
{
	json_int_t devices = number_of(left_out, "devices"), xattrs = number_of(left_out, "xattrs");
	char a[48], b[64];

	if (!devices && !xattrs)
		return;
	fprintf(stderr, "aisbx: left out: %s%s%s\n",
		devices ? count_text(devices, "device node", a, sizeof(a)) : "",
		devices && xattrs ? ", " : "", xattrs ? count_text(xattrs, "attribute", b, sizeof(b)) : "");
}

/* What a script wants of one that came. */
void cli_render_image(const json_t *result, bool quiet)
{
	if (!quiet)
		tell_left_out(json_object_get(result, "left_out"));
	cli_print_name(stdout, text_of(result, "name"));
	printf("\n");
}

void cli_render_image_init(const json_t *result, bool quiet)
{
	if (quiet)
		return;
	tell_left_out(json_object_get(result, "left_out"));
	printf("image ");
	cli_print_name(stdout, text_of(result, "name"));
	printf(" is ready; run a command in it:\n  aisbx run --image ");
	cli_print_name(stdout, text_of(result, "name"));
	printf(" -- /bin/sh\n");
}

void cli_render_image_push(const json_t *result)
{
	printf("%s  ", text_of(result, "digest"));
	cli_print_name(stdout, text_of(result, "to"));
	printf("\n");
}

void cli_render_image_verify(const json_t *result)
{
	char blobs[48], layers[48], files[48], bytes[32];
	json_int_t lost = number_of(result, "not_kept");

	printf("%s (%s) and %s with %s are as they should be\n",
	       count_text(number_of(result, "blobs"), "blob", blobs, sizeof(blobs)),
	       str_size((uint64_t)number_of(result, "bytes"), bytes, sizeof(bytes)),
	       count_text(number_of(result, "layers"), "layer", layers, sizeof(layers)),
	       count_text(number_of(result, "files"), "compared file", files, sizeof(files)));
	if (lost)
		printf("%s not kept: the image can be used, but not pushed or saved\n",
		       count_text(lost, "blob", blobs, sizeof(blobs)));
}

static void id_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "id"));
}

static void name_text(const json_t *row, char *text, size_t cap)
{
	const char *name = text_of(row, "name");

	snprintf(text, cap, "%s", *name ? name : "-");
}

static void digest_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap < SHORT_DIGEST + 1 ? cap : SHORT_DIGEST + 1, "%s", text_of(row, "digest"));
}

static const struct column image_columns[] = {
	{ .head = "NAME", .least = 12, .shrinks = true, .text = name_text },
	{ .head = "ID", .goes = 2, .text = id_text },
	{ .head = "DIGEST", .goes = 4, .text = digest_text },
	{ .head = "PLATFORM", .goes = 5, .key = "platform" },
	{ .head = "SIZE", .goes = 1, .right = true, .key = "size", .as = COLUMN_SIZE },
	{ .head = "AGE", .goes = 3, .right = true, .key = "created_ms", .as = COLUMN_AGE },
	{ .head = NULL },
};

/* A row for each name, and one for an image that has none. */
void cli_render_images(const json_t *result)
{
	const json_t *image, *name;
	json_auto_t *rows = json_array();
	size_t i, k;

	json_array_foreach(json_object_get(result, "images"), i, image)
	{
		const json_t *names = json_object_get(image, "names");

		json_array_foreach(names, k, name)
		{
			json_t *row = json_copy((json_t *)image);

			json_object_set(row, "name", (json_t *)name);
			json_array_append_new(rows, row);
		}
		if (!json_array_size(names))
			json_array_append(rows, (json_t *)image);
	}
	if (json_array_size(rows))
		cli_print_columns(image_columns, rows);
	else
		fprintf(stderr, "aisbx: no images; 'aisbx image pull debian:12' brings one\n");
}

static const struct column layer_columns[] = {
	{ .head = "LAYER", .text = digest_text },
	{ .head = "SIZE", .goes = 1, .right = true, .key = "size", .as = COLUMN_SIZE },
	{ .head = "UNPACKED", .goes = 2, .right = true, .key = "bytes", .as = COLUMN_SIZE },
	{ .head = "FILES", .goes = 3, .right = true, .key = "files", .as = COLUMN_NUMBER },
	{ .head = "ID", .goes = 4, .key = "layer" },
	{ .head = NULL },
};

void cli_render_image_show(const json_t *i)
{
	const json_t *config = json_object_get(i, "config");
	char date[32], ago[32];

	printf("%s", paint(BOLD));
	cli_print_name(stdout, *text_of(i, "name") ? text_of(i, "name") : text_of(i, "id"));
	printf("%s  %s%s%s\n", paint(PLAIN), paint(DIM), text_of(i, "id"), paint(PLAIN));
	each_line("names", json_object_get(i, "names"));
	line("digest", text_of(i, "digest"));
	line("from", text_of(i, "source"));
	line("platform", text_of(i, "platform"));
	size_line("size", number_of(i, "size"));
	label("added");
	printf("%s (%s)\n", date_text(number_of(i, "created_ms"), date, sizeof(date)),
	       ago_text(number_of(i, "created_ms"), ago, sizeof(ago)));
	words_line("entrypoint", json_object_get(config, "entrypoint"));
	words_line("command", json_object_get(config, "cmd"));
	each_line("variables", json_object_get(config, "env"));
	line("user", text_of(config, "user"));
	line("directory", text_of(config, "workdir"));
	keys_line("ports", json_object_get(config, "ports"));
	keys_line("volumes", json_object_get(config, "volumes"));
	keys_line("labels", json_object_get(config, "labels"));
	policy_line(json_object_get(i, "policy"));
	each_line("used by", json_object_get(i, "used_by"));
	printf("\n");
	cli_print_columns(layer_columns, json_object_get(i, "layers"));
}
