/* SPDX-License-Identifier: Apache-2.0 */
/* What is taken on disk: a table, and the sums below it. */
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/render_common.h"

/* "box 'a', box 'b' and 7 more" */
static void with_text(const json_t *row, char *text, size_t cap)
{
	const json_t *names = json_object_get(row, "with");
	json_int_t more = number_of(row, "sharers") - (json_int_t)json_array_size(names);
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < json_array_size(names) && at < cap; i++)
		at += (size_t)snprintf(text + at, cap - at, "%s%s", i ? ", " : "",
				       json_string_value(json_array_get(names, i)));
	if (more > 0 && at < cap)
		snprintf(text + at, cap - at, " and %lld more", (long long)more);
}

static const struct column columns[] = {
	{ .head = "KIND", .key = "kind", .least = 5, .goes = 2 },
	{ .head = "NAME", .key = "name", .least = 8, .shrinks = true },
	{ .head = "ON DISK", .key = "bytes", .as = COLUMN_SIZE, .least = 8, .right = true },
	{ .head = "ITS OWN", .key = "own", .as = COLUMN_SIZE, .least = 8, .right = true },
	{ .head = "SHARED WITH",
	  .text = with_text,
	  .least = 11,
	  .shrinks = true,
	  .goes = 1,
	  .optional = true },
	{ .head = NULL },
};

static void line(const char *what, json_int_t bytes)
{
	char size[32];

	if (bytes)
		printf("%s%-20s%s %s\n", paint(DIM), what, paint(PLAIN),
		       str_size((uint64_t)bytes, size, sizeof(size)));
}

void cli_render_du(const json_t *result)
{
	const json_t *items = json_object_get(result, "items");

	if (json_array_size(items))
		cli_print_columns(columns, items);
	line("all layers", number_of(result, "layers"));
	line("all blobs", number_of(result, "blobs"));
	if (number_of(result, "chunked") > number_of(result, "chunks"))
		line("saved by chunks", number_of(result, "chunked") - number_of(result, "chunks"));
	line("saved by sharing", number_of(result, "saved"));
	line("'aisbx gc' frees", number_of(result, "free"));
	if (!json_array_size(items) && !number_of(result, "layers") && !number_of(result, "blobs"))
		printf("there are no boxes, images or templates\n");
}
