/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of characters that are not seen. No locale is asked: a static program has none. */
#include "base/unicode.h"

struct range {
	uint32_t first, last;
};

static const struct range ignorable[] = {
	{ 0xad, 0xad },	    { 0x34f, 0x34f },	{ 0x61c, 0x61c },     { 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },	  { 0x180b, 0x180f },
	{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },   { 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },	  { 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

/* Controls, spaces of all kinds, and what everybody shows as something else, or not at all. */
static const struct range blank[] = {
	{ 0x80, 0xa0 },	    { 0x1680, 0x1680 }, { 0x2000, 0x200a }, { 0x202f, 0x202f },	  { 0x205f, 0x205f },
	{ 0x2800, 0x2800 }, { 0x3000, 0x3000 }, { 0xd800, 0xf8ff }, { 0xfffe, 0xffff }, { 0xf0000, 0x1fffff },
};

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
