/* SPDX-License-Identifier: Apache-2.0 */
/* Results of operations on files of a box as text. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/render_common.h"

/* Into a file or pipe as it is; on a terminal it could do more than be read. */
void cli_render_file_read(const json_t *result)
{
	const json_t *content = json_object_get(result, "content"),
		     *next = json_object_get(result, "next_offset");
	const char *text = json_string_value(content);

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

void cli_render_file_ls(const json_t *result)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(result, "entries"), i, entry)
	{
		time_t when = (time_t)(json_integer_value(json_object_get(entry, "mtime_ms")) / 1000);
		const char *path = json_string_value(json_object_get(entry, "path"));
		struct tm tm;
		char at[32] = "", size[32];

		if (localtime_r(&when, &tm))
			strftime(at, sizeof(at), "%Y-%m-%d %H:%M", &tm);
		str_size((uint64_t)json_integer_value(json_object_get(entry, "size")), size, sizeof(size));
		printf("%-9s %s %10s %s ", text_of(entry, "type"), text_of(entry, "mode"),
		       strcmp(text_of(entry, "type"), "file") ? "" : size, at);
		cli_print_name(stdout, path ? path : text_of(entry, "path_hex"));
		if (*text_of(entry, "target")) {
			printf(" -> ");
			cli_print_name(stdout, text_of(entry, "target"));
		}
		printf("\n");
	}
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

void cli_render_artifacts(const json_t *result)
{
	const json_t *a;
	size_t i;

	json_array_foreach(json_object_get(result, "artifacts"), i, a)
	{
		char size[32];

		str_size((uint64_t)json_integer_value(json_object_get(a, "size")), size, sizeof(size));
		printf("%s %-9s %10s ", text_of(a, "id"), text_of(a, "type"), size);
		cli_print_name(stdout, text_of(a, "name"));
		printf(" (");
		cli_print_name(stdout, text_of(a, "box_name"));
		printf(":");
		cli_print_name(stdout, text_of(a, "path"));
		printf(")%s", *text_of(a, "note") ? " " : "");
		cli_print_name(stdout, text_of(a, "note"));
		printf("\n");
	}
}
