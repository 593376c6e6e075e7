/* SPDX-License-Identifier: Apache-2.0 */
/* Finds lines in the kept output of a run. */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "box/kept_output.h"

/* Of a long line so much before what was found, and so much in all. */
#define BEFORE  100
#define LONGEST 400

void kept_lines_finish(struct kept_lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i].text);
	free(l->items);
	*l = (struct kept_lines){ 0 };
}

/* All that went to one stream, in one piece: a line may lie in several records. */
static bool join(const struct kept_text *t, enum runlog_stream stream, struct buf *ret)
{
	for (size_t at = 0; at < t->len;) {
		struct runlog_head h;

		memcpy(&h, t->data + at, sizeof(h));
		at += sizeof(h);
		if (h.stream == stream)
			buf_add(ret, t->data + at, h.len);
		at += h.len;
	}
	return !ret->failed;
}

/* FOUND lies in the line of LEN bytes at LINE. */
static bool add_line(struct kept_lines *l, bool is_stderr, const char *line, size_t len, const char *found)
{
	scoped(buf_finish) struct buf text = { 0 };
	size_t skip = (size_t)(found - line) > BEFORE && len > LONGEST ? (size_t)(found - line) - BEFORE : 0;

	if (l->n == KEPT_LINES_MAX) {
		l->more++;
		return true;
	}
	if (!l->items)
		l->items = calloc(KEPT_LINES_MAX, sizeof(*l->items));
	while (skip && ((unsigned char)line[skip] & 0xC0) == 0x80)
		skip--; /* to the first byte of a letter */
	len -= skip;
	len -= len && line[skip + len - 1] == '\r'; /* of a terminal */
	buf_add_utf8(&text, line + skip, len < LONGEST ? len : LONGEST);
	if (!l->items || !buf_str(&text))
		return false;
	l->items[l->n++] = (struct kept_line){ is_stderr, take_mem(&text.data) };
	return true;
}

static bool search_stream(const struct kept_text *t, bool is_stderr, const char *what, struct kept_lines *ret)
{
	scoped(buf_finish) struct buf all = { 0 };
	size_t n = strlen(what), at = 0;

	if (!join(t, is_stderr ? RUNLOG_STDERR : RUNLOG_STDOUT, &all))
		return false;
	while (at < all.len) {
		const char *found = memmem(all.data + at, all.len - at, what, n);
		const char *line =
			found ? memrchr(all.data + at, '\n', (size_t)(found - all.data) - at) : NULL;
		const char *end = found ? memchr(found, '\n', all.len - (size_t)(found - all.data)) : NULL;

		if (!found)
			break;
		line = line ? line + 1 : all.data + at;
		end = end ? end : all.data + all.len;
		if (!add_line(ret, is_stderr, line, (size_t)(end - line), found))
			return false;
		at = (size_t)(end - all.data) + 1;
	}
	return true;
}

bool kept_text_search(const struct kept_text *t, const char *what, struct kept_lines *ret)
{
	struct kept_lines l = { 0 };

	if (search_stream(t, false, what, &l) && search_stream(t, true, what, &l)) {
		*ret = l;
		return true;
	}
	kept_lines_finish(&l);
	return false;
}
