/* SPDX-License-Identifier: Apache-2.0 */
/* Letters, marks and endings of names that some file systems ignore. */
#include "base/casefold.h"

#include <stdint.h>
#include <string.h>

#include "base/unicode.h"

/* Characters that are letters of ASCII once case is folded, as on ext4 with casefold, APFS and others. */
static const struct {
	uint32_t c;
	const char *as;
} folded[] = {
	{ 0xdf, "ss" },    { 0x17f, "s" },   { 0x1e9e, "ss" }, { 0x212a, "k" },
	{ 0xfb00, "ff" },  { 0xfb01, "fi" }, { 0xfb02, "fl" }, { 0xfb03, "ffi" },
	{ 0xfb04, "ffl" }, { 0xfb05, "st" }, { 0xfb06, "st" },
};

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

void casefold_path(const char *path, char *ret, size_t cap)
{
	size_t n = 0, name = 0, len;

	for (; *path && n + 5 < cap; path += len) {
		uint32_t c = unicode_next(path, &len);
		const char *as = len > 1 ? fold(c) : NULL;

		if (c == '/') {
			n = trim_name(ret, name, n);
			ret[n++] = '/';
			name = n;
		} else if (as) {
			n = (size_t)(stpcpy(ret + n, as) - ret);
		} else if (len == 1) {
			ret[n++] = (char)(*path >= 'A' && *path <= 'Z' ? *path + 32 : *path);
		} else if (!unicode_is_ignorable(c)) {
			memcpy(ret + n, path, len);
			n += len;
		}
	}
	ret[trim_name(ret, name, n)] = '\0';
}
