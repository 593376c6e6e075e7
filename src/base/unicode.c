/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of invisible characters, and what is shown instead. No locale is used: a static program has none. */
#include "base/unicode.h"

#include <stdio.h>
#include <string.h>

#include "base/unicode_marks.h"

/* Letters with as many marks are written in some language; more hide what stands above and below. */
#define MAX_MARKS 4

struct range {
	uint32_t first, last;
};

static const struct range ignorable[] = {
	{ 0xad, 0xad },       { 0x34f, 0x34f },   { 0x61c, 0x61c },     { 0x115f, 0x1160 },
	{ 0x17b4, 0x17b5 },   { 0x180b, 0x180f }, { 0x200b, 0x200f },   { 0x2028, 0x202e },
	{ 0x2060, 0x206f },   { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff },
};

/* Controls, also of layout (category Cf), spaces of all kinds, and what everybody shows as something else, or
 * not at all. */
static const struct range blank[] = {
	{ 0x80, 0xa0 },       { 0x600, 0x605 },     { 0x6dd, 0x6dd },      { 0x70f, 0x70f },
	{ 0x890, 0x891 },     { 0x8e2, 0x8e2 },     { 0x1680, 0x1680 },    { 0x2000, 0x200a },
	{ 0x202f, 0x202f },   { 0x205f, 0x205f },   { 0x2800, 0x2800 },    { 0x3000, 0x3000 },
	{ 0xd800, 0xf8ff },   { 0xfdd0, 0xfdef },   { 0xfffe, 0xffff },    { 0x110bd, 0x110bd },
	{ 0x110cd, 0x110cd }, { 0x13430, 0x1343f }, { 0xf0000, 0x1fffff },
};

static const struct range marks[] = { UNICODE_MARKS };

uint32_t unicode_next(const char *text, size_t *ret_len)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len = *s < 0xc2 || *s > 0xf4 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
	uint32_t c = len == 1 ? *s : *s & (0x7fu >> len);

	*ret_len = 1;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return *s;
		c = (c << 6) | (s[i] & 0x3fu);
	}
	*ret_len = len;
	return c;
}

static bool is_in(uint32_t c, const struct range *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= list[i].first && c <= list[i].last)
			return true;
	return false;
}

bool unicode_is_ignorable(uint32_t c)
{
	return is_in(c, ignorable, sizeof(ignorable) / sizeof(*ignorable));
}

bool unicode_is_hidden(uint32_t c)
{
	return is_in(c, blank, sizeof(blank) / sizeof(*blank)) || unicode_is_ignorable(c);
}

bool unicode_is_mark(uint32_t c)
{
	size_t from = 0, to = sizeof(marks) / sizeof(*marks);

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (c > marks[mid].last)
			from = mid + 1;
		else
			to = mid;
	}
	return from < sizeof(marks) / sizeof(*marks) && c >= marks[from].first;
}

size_t unicode_show(struct unicode_show *how, const char *text, char ret[UNICODE_SHOWN])
{
	size_t len;
	uint32_t c = unicode_next(text, &len);
	bool joins = how->joins && (c == 0x200d || c == 0xfe0f);

	if ((len == 1 && c >= 0x80) || unicode_is_overlong(c, len)) {
		snprintf(ret, UNICODE_SHOWN, "\\x%02x", (unsigned char)*text);
		return 1;
	}
	if (c >= ' ' && c < 0x7f) { /* most texts are nothing else */
		how->marks = 0;
		ret[0] = (char)c;
		ret[1] = '\0';
		return len;
	}
	how->marks = unicode_is_mark(c) ? how->marks + 1 : joins ? how->marks : 0;
	if (c == 0x7f || (c < ' ' && !strchr(how->keep, (int)c)))
		snprintf(ret, UNICODE_SHOWN, "?");
	else if ((unicode_is_hidden(c) && !joins) || how->marks > MAX_MARKS)
		snprintf(ret, UNICODE_SHOWN, c > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned int)c);
	else
		snprintf(ret, UNICODE_SHOWN, "%.*s", (int)len, text);
	return len;
}
