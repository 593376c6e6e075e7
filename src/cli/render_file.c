/* SPDX-License-Identifier: Apache-2.0 */
/* Results of operations on files of a box as text. */
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/render_common.h"

/* Into a file or pipe as it is; on a terminal it could do more than be read. */
void cli_render_file_read(const json_t *result)
{
	const json_t *content = json_object_get(result, "content"),
		     *next = json_object_get(result, "next_offset");
	const char *text = json_string_value(content);

	if (*text_of(result, "url"))
		printf("%s\n", text_of(result, "url"));
	if (!text)
		return;
	if (isatty(STDOUT_FILENO))
		cli_print_safe(stdout, text);
	else
		fwrite(text, 1, json_string_length(content), stdout);
	if (!strcmp(text_of(result, "encoding"), "base64"))
		fputc('\n', stdout);
	if (json_is_integer(next))
		fprintf(stderr, "aisbx: not at the end; continue with --offset %lld\n",
			json_integer_value(next));
}

static void entry_text(const json_t *entry, char *text, size_t cap)
{
	const char *path = *text_of(entry, "path") ? text_of(entry, "path") : text_of(entry, "path_hex");

	snprintf(text, cap, "%s%s%s", path, *text_of(entry, "target") ? " -> " : "",
		 text_of(entry, "target"));
}

static void file_size_text(const json_t *entry, char *text, size_t cap)
{
	*text = 0;
	if (!strcmp(text_of(entry, "type"), "file"))
		str_size((uint64_t)number_of(entry, "size"), text, cap);
}

static void changed_text(const json_t *entry, char *text, size_t cap)
{
	date_text(number_of(entry, "mtime_ms"), text, cap);
}

static const struct column file_columns[] = {
	{ .head = "TYPE", .goes = 2, .key = "type" },
	{ .head = "MODE", .goes = 4, .key = "mode" },
	{ .head = "SIZE", .goes = 1, .right = true, .text = file_size_text },
	{ .head = "CHANGED", .goes = 3, .text = changed_text },
	{ .head = "PATH", .least = 12, .shrinks = true, .text = entry_text },
	{ .head = NULL },
};

void cli_render_file_ls(const json_t *result)
{
	const json_t *list = json_object_get(result, "entries");

	if (json_array_size(list))
		cli_print_columns(file_columns, list);
	if (json_is_true(json_object_get(result, "more")))
		fprintf(stderr, "aisbx: there are more; raise --limit to see them\n");
}

/* One change; the beginning and the end have no words. */
void cli_render_file_watch(const json_t *result)
{
	const char *type = text_of(result, "type"), *path = text_of(result, "path");

	if (!*type || !strcmp(type, "ready"))
		return;
	printf("%-6s ", type);
	if (*text_of(result, "from")) {
		cli_print_name(stdout, text_of(result, "from"));
		printf(" -> ");
	}
	cli_print_name(stdout, *path ? path : text_of(result, "path_hex"));
	printf("\n");
}

/* What a script wants of one that was kept. */
void cli_render_artifact(const json_t *result)
{
	printf("%s\n", text_of(result, "id"));
}

static void from_text(const json_t *a, char *text, size_t cap)
{
	snprintf(text, cap, "%s:%s", text_of(a, "box_name"), text_of(a, "path"));
}

static const struct column artifact_columns[] = {
	{ .head = "ID", .key = "id" },
	{ .head = "TYPE", .goes = 3, .key = "type" },
	{ .head = "SIZE", .goes = 2, .right = true, .key = "size", .as = COLUMN_SIZE },
	{ .head = "AGE", .goes = 5, .right = true, .key = "created_ms", .as = COLUMN_AGE },
	{ .head = "NAME", .least = 8, .goes = 1, .shrinks = true, .key = "name" },
	{ .head = "FROM", .least = 12, .goes = 4, .shrinks = true, .text = from_text },
	{ .head = "NOTE", .least = 8, .goes = 6, .shrinks = true, .optional = true, .key = "note" },
	{ .head = NULL },
};

void cli_render_artifacts(const json_t *result)
{
	const json_t *list = json_object_get(result, "artifacts");

	if (json_array_size(list))
		cli_print_columns(artifact_columns, list);
	else
		fprintf(stderr, "aisbx: no artifacts; 'aisbx artifact save BOX PATH' keeps one\n");
}
