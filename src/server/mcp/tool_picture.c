/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures in a result, for a model that can look at them: a file that was read, what a program drew. They
 * come beside the text, in blocks of their own, and are not counted with it.
 */
#include <string.h>

#include "server/mcp/tool_internal.h"

/* The type of a picture in base64, by its first bytes; NULL: it is none that clients show. What a program
 * made is not trusted: all of it has to be base64. */
static const char *type_of(const json_t *coded)
{
	static const struct {
		const char *begin, *media;
	} known[] = {
		{ "iVBORw0KGgo", "image/png" },
		{ "/9j/", "image/jpeg" },
		{ "R0lGOD", "image/gif" },
		{ "UklGR", "image/webp" },
	};
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *text = json_string_value(coded);
	size_t len = json_string_length(coded), n;

	if (!text || len % 4)
		return NULL;
	n = strspn(text, letters);
	if (n + 2 < len || n + strspn(text + n, "=") != len)
		return NULL;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(text, known[i].begin, strlen(known[i].begin)))
			return known[i].media;
	return NULL;
}

/* A file as a picture: the data has its type, the block its bytes. */
static const json_t *of_file(const json_t *result)
{
	const char *media = json_string_value(json_object_get(result, "media")),
		   *encoding = json_string_value(json_object_get(result, "encoding"));

	return media && encoding && !strncmp(media, "image/", 6) && !strcmp(encoding, "base64")
		       ? json_object_get(result, "content")
		       : NULL;
}

/* What is left of ROOM, the bytes for all, and of TOO_MANY. */
static void add(const json_t *coded, json_t *blocks, size_t *room, unsigned int *left_out)
{
	const char *media = type_of(coded);
	const size_t len = json_string_length(coded);

	if (!media)
		return;
	if (len > *room || json_array_size(blocks) == TOOL_PICTURES) {
		++*left_out;
		return;
	}
	*room -= len;
	json_array_append_new(blocks, json_pack("{s:s, s:O, s:s}", "type", "image", "data", coded, "mimeType",
						media));
}

static void add_drawn(const json_t *result, json_t *blocks, size_t *room, unsigned int *left_out)
{
	const json_t *results = json_object_get(result, "results"), *shown;
	size_t i;

	json_array_foreach(results, i, shown)
	{
		const json_t *png = json_object_get(shown, "png");

		add(png ? png : json_object_get(shown, "jpeg"), blocks, room, left_out);
	}
	if (json_array_size(results))
		return;
	json_array_foreach(json_object_get(result, "charts"), i, shown) add(shown, blocks, room, left_out);
}

json_t *tool_pictures(const struct op *op, const json_t *result, json_t *data)
{
	const json_t *file = of_file(result);
	json_t *blocks = json_array();
	size_t room = TOOL_PICTURE_BYTES;
	unsigned int left_out = 0;

	if (file)
		add(file, blocks, &room, &left_out);
	if (file && json_array_size(blocks)) /* it is not for reading */
		json_object_del(data, "content");
	if (op == &op_run_code)
		add_drawn(result, blocks, &room, &left_out);
	if (left_out)
		json_array_append_new(
			blocks, json_pack("{s:s, s:o}", "type", "text", "text",
					  json_sprintf("[%u more picture%s not shown: at most %d, of %u KiB "
						       "together]",
						       left_out, left_out == 1 ? " is" : "s are",
						       TOOL_PICTURES, TOOL_PICTURE_BYTES >> 10)));
	return blocks;
}
