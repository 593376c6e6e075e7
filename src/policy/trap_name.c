/* SPDX-License-Identifier: Apache-2.0 */
/* One spelling for all those of a path that some file system takes for the same: HFS+ ignores characters, NTFS dots at the end, others case. */
#include "policy/trap.h"

#include <stdint.h>
#include <string.h>

/* Characters nobody sees, which some file systems pass over when they compare names (Default_Ignorable_Code_Point). */
static const struct {
	uint32_t first, last;
} ignored[] = {
	{ 0xad, 0xad },	    { 0x34f, 0x34f },	{ 0x61c, 0x61c },   { 0x115f, 0x1160 },	  { 0x17b4, 0x17b5 },	{ 0x180b, 0x180f },
	{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 },	  { 0xfe00, 0xfe0f },	{ 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfff8 }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

/* Characters that are letters of ASCII once case is folded, as on ext4 with casefold, APFS and others. */
static const struct {
	uint32_t c;
	const char *as;
} folded[] = {
	{ 0xdf, "ss" },	   { 0x17f, "s" },    { 0x1e9e, "ss" },	 { 0x212a, "k" },   { 0xfb00, "ff" },
	{ 0xfb01, "fi" },  { 0xfb02, "fl" },  { 0xfb03, "ffi" }, { 0xfb04, "ffl" }, { 0xfb05, "st" },
	{ 0xfb06, "st" },
};

/* The character at TEXT and its length; a byte that begins none is taken for itself. */
static uint32_t next_char(const unsigned char *text, size_t *ret_len)
{
	size_t len = text[0] < 0xc2 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : text[0] < 0xf5 ? 4 : 1;
	uint32_t c = len == 1 ? text[0] : text[0] & (0x7fu >> len);

	*ret_len = 1;
	for (size_t i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return text[0];
		c = (c << 6) | (text[i] & 0x3fu);
	}
	*ret_len = len;
	return c;
}

static bool is_ignored(uint32_t c)
{
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		if (c >= ignored[i].first && c <= ignored[i].last)
			return true;
	return false;
}

static const char *fold(uint32_t c)
{
	for (size_t i = 0; i < sizeof(folded) / sizeof(*folded); i++)
		if (folded[i].c == c)
			return folded[i].as;
	return NULL;
}

/* Dots and spaces at the end of a name, but for the names "." and ".."; and what NTFS has behind it. */
static size_t trim_name(const char *out, size_t from, size_t to)
{
	char *stream = memmem(out + from, to - from, "::$", 3);
	size_t end = stream && stream > out + from ? (size_t)(stream - out) : to;

	while (end > from && (out[end - 1] == '.' || out[end - 1] == ' '))
		end--;
	return end > from ? end : to;
}

void trap_fold_name(const char *path, char *ret, size_t cap)
{
	const unsigned char *at = (const unsigned char *)path;
	size_t n = 0, name = 0, len;

	for (; *at && n + 5 < cap; at += len) {
		uint32_t c = *at < 0x80 ? *at : next_char(at, &len);
		const char *as = c < 0x80 ? NULL : fold(c);

		if (c < 0x80)
			len = 1;
		if (c == '/') {
			n = trim_name(ret, name, n);
			ret[n++] = '/';
			name = n;
		} else if (as) {
			n = (size_t)(stpcpy(ret + n, as) - ret);
		} else if (c < 0x80) {
			ret[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
		} else if (len == 1 || !is_ignored(c)) {
			memcpy(ret + n, at, len);
			n += len;
		}
	}
	ret[trim_name(ret, name, n)] = '\0';
}
