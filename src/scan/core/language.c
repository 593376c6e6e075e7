/* SPDX-License-Identifier: Apache-2.0 */
/* The supported languages, and what they have in common. */
#include <string.h>

#include "scan/core/fact.h"

#define MAX_BIDI 100u

static const struct scan_language languages[] = {
	{ "python", scan_python },
	{ "javascript", scan_javascript },
	{ "typescript", scan_typescript },
	{ "shell", scan_shell },
};

const struct scan_language *scan_language_find(const char *name)
{
	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages); i++)
		if (!strcmp(languages[i].name, name))
			return &languages[i];
	return NULL;
}

/* U+202A-202E, U+2066-2069: an editor shows what is behind them in another order than it is read ("trojan
 * source"). */
static bool is_bidi(const unsigned char *s)
{
	return s[0] == 0xe2 && ((s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) ||
				(s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

void scan_any(const char *text, size_t len, struct facts *facts)
{
	const char *line = text, *at = text, *end = text + len;
	unsigned int n = 0, row = 1;

	for (; end - at >= 3 && n < MAX_BIDI; at++) {
		if (*at == '\n') {
			line = at + 1;
			row++;
		} else if (is_bidi((const unsigned char *)at)) {
			uint32_t column = (uint32_t)(at - line) + 1;

			facts_add(facts, &(struct fact){ .kind = FACT_HIDDEN,
							 .name = "direction",
							 .line = row,
							 .column = column,
							 .end_line = row,
							 .end_column = column + 3 });
			n++;
		}
	}
}
