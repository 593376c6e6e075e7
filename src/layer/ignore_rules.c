/* SPDX-License-Identifier: Apache-2.0 */
/*
 * If libgit2 (seen with 1.5) reads a rule differently from git, it is rewritten so that both read it the same
 * way.
 */
/*
 * - blanks: only spaces end a rule for git, for libgit2 tabs and others do, too; escaped they are part of it
 * for both;
 * - a backslash at the end: for git such a rule matches nothing, libgit2 takes the next line for part of it;
 * it is left out;
 * - "!name" when no rule above it in the same file ignores the name: libgit2 drops it, though it may undo a
 * rule of another file; it does not drop what has a wildcard, so the last character becomes a class of one.
 */
#include "layer/ignore_rules.h"

#include <stdbool.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Without the spaces at its end, unless a backslash is before them. */
static size_t trimmed(const char *rule, size_t len)
{
	size_t end = 0;

	for (size_t i = 0; i < len; i++) {
		bool is_escape = rule[i] == '\\' && i + 1 < len;

		i += is_escape;
		if (is_escape || rule[i] != ' ')
			end = i + 1;
	}
	return end;
}

/* Where its last character begins, which may have a backslash before it; LEN when the end is a lone
 * backslash. */
static size_t last_begins(const char *rule, size_t len, bool *ret_has_wildcard)
{
	size_t last = len;

	*ret_has_wildcard = false;
	for (size_t i = 0; i < len; i++) {
		last = i;
		if (rule[i] == '\\' && ++i == len)
			return len;
		if (last == i && strchr("*?[", rule[i]))
			*ret_has_wildcard = true;
	}
	return last;
}

static void add_escaped(struct buf *b, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\\' && i + 1 < len)
			buf_add(b, &text[i++], 1);
		else if (is_blank(text[i]))
			buf_add(b, "\\", 1);
		buf_add(b, &text[i], 1);
	}
}

/* A rule without "!" and trimmed. */
static void add_rule(struct buf *b, const char *rule, size_t len, bool is_negative)
{
	bool for_dirs = len > 1 && rule[len - 1] == '/', has_wildcard;
	size_t n = len - for_dirs, last = last_begins(rule, n, &has_wildcard);

	if (!n || last == n)
		return;
	if (is_negative)
		buf_add(b, "!", 1);
	if (is_negative && !has_wildcard && rule[n - 1] != '/') {
		add_escaped(b, rule, last);
		buf_addf(b, "[\\%c]", rule[n - 1]);
	} else {
		add_escaped(b, rule, n);
	}
	buf_addf(b, "%s\n", for_dirs ? "/" : "");
}

static void add_line(struct buf *b, const char *line, size_t len)
{
	size_t n = strnlen(line, len); /* git's lines end at a NUL */
	bool is_negative;

	if (n == len && n && line[n - 1] == '\r')
		n--;
	n = trimmed(line, n);
	if (!n || line[0] == '#')
		return;
	is_negative = line[0] == '!';
	add_rule(b, line + is_negative, n - is_negative, is_negative);
}

void ignore_rules_add(struct buf *ret, const char *text, size_t len)
{
	const char *at = text, *end = text + len;

	if (len >= 3 && !memcmp(at, "\xef\xbb\xbf", 3))
		at += 3;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		add_line(ret, at, (size_t)(stop - at));
		at = stop + (newline != NULL);
	}
}
