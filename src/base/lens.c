/* SPDX-License-Identifier: Apache-2.0 */
/* Reads text in its common spellings, one byte at a time. */
#include "base/lens.h"

#include <stdbool.h>
#include <string.h>

const char *lens_name(enum lens l)
{
	static const char *const names[LENS_COUNT] = { [LENS_RAW] = "plain", [LENS_BASE64] = "base64", [LENS_HEX] = "hex",
						       [LENS_PERCENT] = "url-encoded", [LENS_ESCAPE] = "escaped" };

	return names[l];
}

static int digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The number that N hexadecimal digits are, or -1. */
static int number(const uint8_t *p, int n)
{
	int value = 0;

	for (; n--; p++) {
		if (digit(*p) < 0)
			return -1;
		value = value * 16 + digit(*p);
	}
	return value;
}

/* What stands at the beginning of some bytes: USED of them mean N others. USED 0: it takes more to know. */
struct meaning {
	int used, n;
	uint8_t bytes[4];
};

static struct meaning literal(uint8_t c)
{
	return (struct meaning){ .used = 1, .n = 1, .bytes = { c } };
}

/* A blank may be "+" as well as %20, and a "+" may be itself: to be found they count as the same. */
static uint8_t fold_blank(int c)
{
	return c == ' ' ? '+' : (uint8_t)c;
}

static struct meaning read_percent(const uint8_t *p, int n)
{
	if (p[0] != '%')
		return literal(fold_blank(p[0]));
	if ((n > 1 && digit(p[1]) < 0) || (n > 2 && digit(p[2]) < 0))
		return literal(p[0]);
	if (n < 3)
		return (struct meaning){ 0 };
	return (struct meaning){ .used = 3, .n = 1, .bytes = { fold_blank(number(p + 1, 2)) } };
}

static struct meaning utf8(int used, int code)
{
	struct meaning m = { .used = used };

	if (code < 0x80) {
		m.bytes[m.n++] = (uint8_t)code;
		return m;
	}
	if (code >= 0x10000) {
		m.bytes[m.n++] = (uint8_t)(0xF0 | code >> 18);
		m.bytes[m.n++] = (uint8_t)(0x80 | (code >> 12 & 0x3F));
	} else if (code >= 0x800) {
		m.bytes[m.n++] = (uint8_t)(0xE0 | code >> 12);
	} else {
		m.bytes[m.n++] = (uint8_t)(0xC0 | code >> 6);
		m.bytes[m.n++] = (uint8_t)(0x80 | (code & 0x3F));
		return m;
	}
	m.bytes[m.n++] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
	m.bytes[m.n++] = (uint8_t)(0x80 | (code & 0x3F));
	return m;
}

static bool is_octal(uint8_t c)
{
	return c >= '0' && c <= '7';
}

/* \uXXXX, and the two of them that letters outside of the first plane are written as. */
static struct meaning read_u(const uint8_t *p, int n)
{
	int high, low;

	for (int i = 2; i < n && i < 6; i++)
		if (digit(p[i]) < 0)
			return literal(p[0]);
	if (n < 6)
		return (struct meaning){ 0 };
	high = number(p + 2, 4);
	if (high < 0xD800 || high > 0xDBFF)
		return utf8(6, high);
	for (int i = 6; i < n && i < 12; i++)
		if (i == 6 ? p[i] != '\\' : i == 7 ? p[i] != 'u' : digit(p[i]) < 0)
			return literal(p[0]);
	if (n < 12)
		return (struct meaning){ 0 };
	low = number(p + 8, 4);
	return low >= 0xDC00 && low <= 0xDFFF ? utf8(12, 0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF)) : literal(p[0]);
}

static struct meaning read_escape(const uint8_t *p, int n)
{
	static const char letters[] = "abefnrtv", means[] = "\a\b\033\f\n\r\t\v";
	const char *letter;

	if (p[0] != '\\')
		return literal(p[0]);
	if (n < 2)
		return (struct meaning){ 0 };
	if (p[1] == 'u')
		return read_u(p, n);
	if (p[1] == 'x') {
		if ((n > 2 && digit(p[2]) < 0) || (n > 3 && digit(p[3]) < 0))
			return literal(p[0]);
		return n < 4 ? (struct meaning){ 0 }
			     : (struct meaning){ .used = 4, .n = 1, .bytes = { (uint8_t)number(p + 2, 2) } };
	}
	if (is_octal(p[1])) {
		if ((n > 2 && !is_octal(p[2])) || (n > 3 && !is_octal(p[3])))
			return p[1] == '0' ? (struct meaning){ .used = 2, .n = 1, .bytes = { 0 } } : literal(p[0]);
		return n < 4 ? (struct meaning){ 0 }
			     : (struct meaning){ .used = 4, .n = 1,
						 .bytes = { (uint8_t)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0')) } };
	}
	letter = p[1] ? strchr(letters, p[1]) : NULL;
	if (letter)
		return (struct meaning){ .used = 2, .n = 1, .bytes = { (uint8_t)means[letter - letters] } };
	if ((p[1] | 0x20) >= 'a' && (p[1] | 0x20) <= 'z')
		return literal(p[0]);
	return (struct meaning){ .used = 2, .n = 1, .bytes = { p[1] } }; /* \" \\ \/ and what a shell quotes */
}

static size_t read_code(struct lens_state *s, uint8_t c, uint64_t at, struct meaning (*read)(const uint8_t *p, int n),
			struct lens_symbol *ret)
{
	size_t n = 0;

	if (!s->n_held)
		s->from = at;
	s->held[s->n_held++] = c;
	while (s->n_held) {
		struct meaning m = read(s->held, s->n_held);

		if (!m.used)
			break;
		for (int i = 0; i < m.n; i++)
			ret[n++] = (struct lens_symbol){ s->from, s->from + (uint64_t)m.used, m.bytes[i] };
		s->from += (uint64_t)m.used;
		s->n_held = (uint8_t)(s->n_held - m.used);
		memmove(s->held, s->held + m.used, s->n_held);
	}
	return n;
}

/* Bytes that may stand between two symbols; blanks of base64 only at the beginning of a line. */
static bool is_between(enum lens l, const struct lens_state *s, uint8_t c)
{
	if (s->gap == LENS_MAX_GAP)
		return false;
	if (l == LENS_BASE64)
		return c == '\n' || c == '\r' || (s->gap && (c == ' ' || c == '\t'));
	return c == '\n' || c == '\r' || c == ' ' || c == ':' || c == '-' || c == '\\' || c == 'x';
}

size_t lens_step(enum lens l, struct lens_state *s, uint8_t c, uint64_t at, struct lens_symbol ret[LENS_MAX_SYMBOLS])
{
	switch (l) {
	case LENS_PERCENT:
		return read_code(s, c, at, read_percent, ret);
	case LENS_ESCAPE:
		return read_code(s, c, at, read_escape, ret);
	case LENS_BASE64:
	case LENS_HEX:
		if (is_between(l, s, c)) {
			s->gap++;
			return LENS_SKIP;
		}
		s->gap = 0;
		if (l == LENS_BASE64)
			c = c == '-' ? '+' : c == '_' ? '/' : c;
		else if (c >= 'A' && c <= 'F')
			c |= 0x20;
		break;
	case LENS_RAW:
	case LENS_COUNT:
		break;
	}
	ret[0] = (struct lens_symbol){ at, at + 1, c };
	return 1;
}

/* Those letters of the base64 of some text that depend on these bytes alone, when VARIANT bytes and whole triples are before. */
static size_t base64_letters(unsigned int variant, const uint8_t *p, size_t len, uint8_t *ret)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t bit = (size_t)variant * 8, end = bit + len * 8, n = 0;

	for (size_t i = (bit + 5) / 6; i * 6 + 6 <= end; i++) {
		size_t at = i * 6 - bit; /* of these bytes' bits */
		unsigned int two = (unsigned int)p[at / 8] << 8 | (at / 8 + 1 < len ? p[at / 8 + 1] : 0);

		ret[n++] = (uint8_t)letters[two >> (10 - at % 8) & 63];
	}
	return n;
}

size_t lens_symbols(enum lens l, unsigned int variant, const void *bytes, size_t len, uint8_t *ret)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *p = bytes;

	if (l == LENS_BASE64)
		return variant < LENS_VARIANTS ? base64_letters(variant, p, len, ret) : 0;
	if (variant)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (l == LENS_HEX) {
			ret[2 * i] = (uint8_t)digits[p[i] >> 4];
			ret[2 * i + 1] = (uint8_t)digits[p[i] & 15];
		} else {
			ret[i] = l == LENS_PERCENT ? fold_blank(p[i]) : p[i];
		}
	}
	return l == LENS_HEX ? 2 * len : len;
}
