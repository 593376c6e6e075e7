/* SPDX-License-Identifier: Apache-2.0 */
/* Width of text in columns. No locale is used: a static program has none, and terminals use UTF-8. */
#include "cli/text_width.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/unicode.h"

struct range {
	uint32_t from, to;
};

/* Two columns everywhere: East Asian letters and the emoji that Unicode calls wide. */
static const struct range wide[] = {
	{ 0x1100, 0x115F },   { 0x231A, 0x231B },   { 0x23E9, 0x23EC },   { 0x23F0, 0x23F0 },
	{ 0x23F3, 0x23F3 },   { 0x25FD, 0x25FE },   { 0x2614, 0x2615 },   { 0x2648, 0x2653 },
	{ 0x267F, 0x267F },   { 0x2693, 0x2693 },   { 0x26A1, 0x26A1 },   { 0x26AA, 0x26AB },
	{ 0x26BD, 0x26BE },   { 0x26C4, 0x26C5 },   { 0x26CE, 0x26CE },   { 0x26D4, 0x26D4 },
	{ 0x26EA, 0x26EA },   { 0x26F2, 0x26F3 },   { 0x26F5, 0x26F5 },   { 0x26FA, 0x26FA },
	{ 0x26FD, 0x26FD },   { 0x2705, 0x2705 },   { 0x270A, 0x270B },   { 0x2728, 0x2728 },
	{ 0x274C, 0x274C },   { 0x274E, 0x274E },   { 0x2753, 0x2755 },   { 0x2757, 0x2757 },
	{ 0x2795, 0x2797 },   { 0x27B0, 0x27B0 },   { 0x27BF, 0x27BF },   { 0x2B1B, 0x2B1C },
	{ 0x2B50, 0x2B50 },   { 0x2B55, 0x2B55 },   { 0x2E80, 0x303E },   { 0x3041, 0x33FF },
	{ 0x3400, 0x4DBF },   { 0x4E00, 0xA4CF },   { 0xA960, 0xA97C },   { 0xAC00, 0xD7A3 },
	{ 0xF900, 0xFAFF },   { 0xFE30, 0xFE6F },   { 0xFF01, 0xFF60 },   { 0xFFE0, 0xFFE6 },
	{ 0x1F300, 0x1F320 }, { 0x1F32D, 0x1F335 }, { 0x1F337, 0x1F37C }, { 0x1F37E, 0x1F393 },
	{ 0x1F3A0, 0x1F3CA }, { 0x1F3E0, 0x1F3F0 }, { 0x1F400, 0x1F43E }, { 0x1F440, 0x1F440 },
	{ 0x1F442, 0x1F4FC }, { 0x1F4FF, 0x1F53D }, { 0x1F550, 0x1F567 }, { 0x1F5FB, 0x1F64F },
	{ 0x1F680, 0x1F6C5 }, { 0x1F900, 0x1F9FF }, { 0x20000, 0x3FFFD },
};

/* Not shown: controls, what has no width or turns the direction, and places where terminals disagree. */
static const struct range odd[] = {
	{ 0x0, 0x1F },        { 0x7F, 0x9F },        { 0xAD, 0xAD },       { 0x300, 0x36F },
	{ 0x483, 0x489 },     { 0x591, 0x5C7 },      { 0x600, 0x61C },     { 0x64B, 0x65F },
	{ 0x6D6, 0x6ED },     { 0x70F, 0x711 },      { 0x730, 0x74A },     { 0x7A6, 0x7B0 },
	{ 0x7EB, 0x7FF },     { 0x816, 0x903 },      { 0x93A, 0x94F },     { 0x962, 0x963 },
	{ 0x980, 0x10FF },    { 0x1160, 0x11FF },    { 0x135D, 0x135F },   { 0x1680, 0x1680 },
	{ 0x1712, 0x1DFF },   { 0x2000, 0x200F },    { 0x2028, 0x202F },   { 0x205F, 0x206F },
	{ 0x20D0, 0x20F0 },   { 0x302A, 0x302F },    { 0x3099, 0x309A },   { 0xA66F, 0xA6F1 },
	{ 0xA802, 0xA95F },   { 0xA97D, 0xABFF },    { 0xD7A4, 0xF8FF },   { 0xFB1D, 0xFE2F },
	{ 0xFE70, 0xFEFF },   { 0xFFE7, 0xFFFF },    { 0x10000, 0x1F2FF }, { 0x1F321, 0x1F32C },
	{ 0x1F336, 0x1F336 }, { 0x1F37D, 0x1F37D },  { 0x1F394, 0x1F39F }, { 0x1F3CB, 0x1F3DF },
	{ 0x1F3F1, 0x1F3FF }, { 0x1F43F, 0x1F43F },  { 0x1F441, 0x1F441 }, { 0x1F4FD, 0x1F4FE },
	{ 0x1F53E, 0x1F54F }, { 0x1F568, 0x1F5FA },  { 0x1F650, 0x1F67F }, { 0x1F6C6, 0x1F8FF },
	{ 0x1FA00, 0x1FFFF }, { 0x3FFFE, 0x1FFFFF },
};

static int compare(const void *key, const void *item)
{
	const uint32_t *c = key;
	const struct range *r = item;

	return *c < r->from ? -1 : *c > r->to;
}

#define IN(c, table) \
	(bsearch(&(c), table, sizeof(table) / sizeof(*(table)), sizeof(*(table)), compare) != NULL)

/* Bytes of the character at S, 1 for what is none; RET_COLUMNS: 0 if it is not to be shown. */
static size_t character(const unsigned char *s, int *ret_columns)
{
	size_t n = *s < 0x80 ? 1 : *s < 0xC2 || *s > 0xF4 ? 0 : *s < 0xE0 ? 2 : *s < 0xF0 ? 3 : 4;
	uint32_t c = n > 1 ? *s & (0xFFu >> (n + 1)) : *s;

	if (*s >= ' ' && *s < 0x7f) { /* most texts are nothing else */
		*ret_columns = 1;
		return 1;
	}
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xC0) != 0x80)
			n = 0;
		else
			c = c << 6 | (s[i] & 0x3Fu);
	}
	*ret_columns = !n || IN(c, odd) || unicode_is_hidden(c) || unicode_is_mark(c) ? 0
		       : IN(c, wide)                                                  ? 2
										      : 1;
	return n ? n : 1;
}

int text_width(const char *text)
{
	int width = 0, columns;

	for (const unsigned char *s = (const unsigned char *)text; *s; width += columns ? columns : 1)
		s += character(s, &columns);
	return width;
}

void text_width_add(struct buf *b, const char *text, int width, bool pad, bool right)
{
	int all = text_width(text), used = 0, columns;
	bool cut = all > width;

	if (pad && right && all < width)
		buf_addf(b, "%*s", width - all, "");
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		size_t n = character(s, &columns);

		if (used + (columns ? columns : 1) > width - cut)
			break;
		if (columns)
			buf_add(b, s, n);
		else
			buf_add(b, "?", 1);
		used += columns ? columns : 1;
		s += n;
	}
	if (cut && width > 0) {
		buf_addf(b, "…");
		used++;
	}
	if (pad && !right && used < width)
		buf_addf(b, "%*s", width - used, "");
}

void text_as_name(const char *text, char *ret, size_t cap)
{
	struct unicode_show how = { .keep = "" };
	char shown[UNICODE_SHOWN];
	size_t n = 0;

	ret[0] = '\0';
	while (*text) {
		size_t len;

		text += unicode_show(&how, text, shown);
		len = strlen(shown);
		if (n + len >= cap)
			return;
		memcpy(ret + n, shown, len + 1);
		n += len;
	}
}
