/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns of paths. All possible positions in the pattern are tracked together: paths are named by whoever
 * works in a box, and matching must not take longer than the length of the path times that of the pattern.
 */
#include <string.h>

#include "expr/tree.h"

/* What a pattern has at one place; DIRS is a "**" with its '/': any directories, or none. */
enum glyph { PLAIN, ONE, NAME, TREE, DIRS };
/* Whether a place is reached. AMID: within a directory's name, whose end has to come first. */
enum place { NO, YES, AMID };

struct pattern {
	const char *text;
	size_t len;
};

static enum glyph glyph_at(const struct pattern *p, size_t at, size_t *ret_width)
{
	const char *s = p->text + at;
	size_t left = p->len - at;

	*ret_width = 1;
	if (*s != '*')
		return *s == '?' ? ONE : PLAIN;
	if (left < 2 || s[1] != '*')
		return NAME;
	*ret_width = 2;
	if (left == 2 || s[2] != '/' || (at && s[-1] != '/'))
		return TREE;
	*ret_width = 3;
	return DIRS;
}

/* What is possible without another byte, too: stars may stand for nothing. */
static void skip_stars(const struct pattern *p, unsigned char *set)
{
	for (size_t at = 0; at < p->len; at++) {
		size_t width;

		if (set[at] == YES && glyph_at(p, at, &width) >= NAME)
			set[at + width] = YES;
	}
}

/* The places behind one byte C of the path. */
static void step(const struct pattern *p, const unsigned char *from, unsigned char *to, char c)
{
	memset(to, NO, p->len + 1);
	for (size_t at = 0; at < p->len; at++) {
		size_t width;
		enum glyph g = glyph_at(p, at, &width);

		if (from[at] == NO)
			continue;
		if (g == DIRS)
			to[at] = c == '/' ? YES : AMID;
		else if (g == TREE || (g == NAME && c != '/'))
			to[at] = YES;
		else if ((g == ONE && c != '/') || (g == PLAIN && p->text[at] == c))
			to[at + 1] = YES;
	}
	skip_stars(p, to);
}

bool expr_glob_fits(const char *path, const char *pattern, size_t len)
{
	const struct pattern p = { pattern, len };
	unsigned char sets[2][EXPR_MAX_BYTES + 1];
	int now = 0;

	if (len > EXPR_MAX_BYTES)
		return false;
	memset(sets[now], NO, len + 1);
	sets[now][0] = YES;
	skip_stars(&p, sets[now]);
	for (; *path; path++, now = !now)
		step(&p, sets[now], sets[!now], *path);
	return sets[now][len] == YES;
}
