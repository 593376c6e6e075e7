/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the bytes of a dump, whose lines have an offset before them and a column of text after them: as
 * hexdump, xxd, od and tcpdump print it. Whatever stands between the digits is ignored. Reading may start in
 * the middle of a line.
 */
#include <stdbool.h>
#include <string.h>

#include "base/encoding.h"

/* Where in a line; kept above the count in encoding_state.gap. In the middle of digits it is 0. */
enum place {
	DIGITS,
	BLANKS, /* behind some; so many */
	PEEK,   /* behind two or more: is what is held more of them, or the text? */
	TEXT,   /* the column of text, up to the end of the line */
	LINE,   /* the beginning of a line: is what is held an offset? */
};

#define MAX_TEXT 200

static void go(struct encoding_state *s, enum place where, unsigned int count)
{
	s->gap = (uint16_t)((unsigned int)where << 8 | count);
	s->n_held = 0;
}

static bool is_digit(uint8_t c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static bool is_end(uint8_t c)
{
	return c == '\n' || c == '\r';
}

static struct encoding_symbol symbol(uint64_t at, uint8_t c)
{
	return (struct encoding_symbol){ at, at + 1, c >= 'A' && c <= 'F' ? (uint8_t)(c | 0x20) : c };
}

/* What was held are digits after all, and C follows. */
static size_t give(struct encoding_state *s, uint8_t c, uint64_t at, struct encoding_symbol *ret)
{
	size_t n = 0;

	for (; n < s->n_held; n++)
		ret[n] = symbol(s->from + n, s->held[n]);
	if (c == ' ' || c == '\t') {
		go(s, BLANKS, 1);
	} else if (is_end(c)) {
		go(s, LINE, 0);
	} else {
		ret[n++] = symbol(at, c);
		go(s, DIGITS, 0);
	}
	return n;
}

static size_t hold(struct encoding_state *s, uint8_t c, uint64_t at)
{
	if (!s->n_held)
		s->from = at;
	s->held[s->n_held++] = c;
	return ENCODING_SKIP;
}

/* So many stand together in a dump. */
static bool is_group(const struct encoding_state *s)
{
	return s->n_held == 2 || s->n_held == 4 || s->n_held == 8;
}

static size_t behind_blanks(struct encoding_state *s, unsigned int count, uint8_t c, uint64_t at,
			    struct encoding_symbol *ret)
{
	if ((c == ' ' || c == '\t') && count < ENCODING_MAX_GAP) {
		go(s, BLANKS, count + 1);
	} else if (is_end(c)) {
		go(s, LINE, 0);
	} else if (is_digit(c) && count > 1) {
		go(s, PEEK, 0);
		return hold(s, c, at);
	} else if (count > 1 || c == '|' || c == '>') {
		go(s, TEXT, 0);
	} else {
		return give(s, c, at, ret);
	}
	return ENCODING_SKIP;
}

/* The digits held so far, with C behind them, are where the line is in the file. */
static bool is_offset(const struct encoding_state *s, uint8_t c, bool blank)
{
	if (c == ':')
		return s->n_held >= 4;
	return s->n_held == 8 ? blank : s->n_held >= 6 && (blank || is_end(c));
}

static size_t at_line(struct encoding_state *s, uint8_t c, uint64_t at, struct encoding_symbol *ret)
{
	bool blank = c == ' ' || c == '\t';

	if (is_digit(c) && s->n_held < 11)
		return hold(s, c, at);
	if (!s->n_held && (blank || is_end(c)))
		return ENCODING_SKIP;
	if (s->n_held == 1 && c == 'x') { /* 0x0010: */
		s->n_held = 0;
		return ENCODING_SKIP;
	}
	if (is_offset(s, c, blank)) {
		go(s, is_end(c) ? LINE : BLANKS, 1);
		return ENCODING_SKIP;
	}
	return give(s, c, at, ret);
}

size_t encoding_dump_step(struct encoding_state *s, uint8_t c, uint64_t at,
			  struct encoding_symbol ret[ENCODING_MAX_SYMBOLS])
{
	unsigned int count = s->gap & 0xFF;
	enum place place = (enum place)(s->gap >> 8);
	bool end = is_end(c);

	if (place == BLANKS)
		return behind_blanks(s, count, c, at, ret);
	if (place == LINE)
		return at_line(s, c, at, ret);
	if (place == PEEK) {
		if (is_digit(c) && s->n_held < 8)
			return hold(s, c, at);
		if (is_group(s) && (c == ' ' || end))
			return give(s, c, at, ret);
		go(s, end ? LINE : TEXT, 0);
		return ENCODING_SKIP;
	}
	if (place == TEXT && count < MAX_TEXT) {
		go(s, end ? LINE : TEXT, end ? 0 : count + 1);
		return ENCODING_SKIP;
	}
	if (place == DIGITS && (c == ' ' || c == '\t' || end || c == '|')) {
		go(s, end ? LINE : c == '|' ? TEXT : BLANKS, 1);
		return ENCODING_SKIP;
	}
	go(s, DIGITS, 0);
	ret[0] = symbol(at, c);
	return 1;
}
