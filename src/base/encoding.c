/* SPDX-License-Identifier: Apache-2.0 */
/* Reads text in its common encodings, one byte at a time. */
#include "base/encoding.h"

#include <stdbool.h>
#include <string.h>

const char *encoding_name(enum encoding l)
{
	static const char *const names[ENCODING_COUNT] = {
		[ENCODING_RAW] = "plain",      [ENCODING_BASE64] = "base64",
		[ENCODING_HEX] = "hex",        [ENCODING_PERCENT] = "url-encoded",
		[ENCODING_ESCAPE] = "escaped", [ENCODING_WIDE] = "utf-16",
		[ENCODING_DUMP] = "in a dump", [ENCODING_NUMBERS] = "as numbers"
	};

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
	return low >= 0xDC00 && low <= 0xDFFF ? utf8(12, 0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))
					      : literal(p[0]);
}

static struct meaning one_byte(int used, unsigned int c)
{
	return (struct meaning){ .used = used, .n = 1, .bytes = { (uint8_t)c } };
}

/* "\x41" */
static struct meaning read_x(const uint8_t *p, int n)
{
	if ((n > 2 && digit(p[2]) < 0) || (n > 3 && digit(p[3]) < 0))
		return literal(p[0]);
	return n < 4 ? (struct meaning){ 0 } : one_byte(4, (unsigned int)number(p + 2, 2));
}

/* "\101", "\0" */
static struct meaning read_octal(const uint8_t *p, int n)
{
	if ((n > 2 && !is_octal(p[2])) || (n > 3 && !is_octal(p[3])))
		return p[1] == '0' ? one_byte(2, 0) : literal(p[0]);
	return n < 4 ? (struct meaning){ 0 }
		     : one_byte(4, (unsigned int)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0')));
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
	if (p[1] == 'x')
		return read_x(p, n);
	if (is_octal(p[1]))
		return read_octal(p, n);
	letter = p[1] ? strchr(letters, p[1]) : NULL;
	if (letter)
		return one_byte(2, (unsigned char)means[letter - letters]);
	if ((p[1] | 0x20) >= 'a' && (p[1] | 0x20) <= 'z')
		return literal(p[0]);
	return one_byte(2, p[1]); /* \" \\ \/ and what a shell quotes */
}

static size_t read_code(struct encoding_state *s, uint8_t c, uint64_t at,
			struct meaning (*read)(const uint8_t *p, int n), struct encoding_symbol *ret)
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
			ret[n++] =
				(struct encoding_symbol){ s->from, s->from + (uint64_t)m.used, m.bytes[i] };
		s->from += (uint64_t)m.used;
		s->n_held = (uint8_t)(s->n_held - m.used);
		memmove(s->held, s->held + m.used, s->n_held);
	}
	return n;
}

/* The byte that some digits are; 256: none. */
static int byte_of(const uint8_t *p, int n)
{
	int sign = n > 1 && p[0] == '-', value = 0;

	if (n == 4 && p[0] == '0' && (p[1] | 0x20) == 'x')
		return number(p + 2, 2);
	for (int i = sign; i < n; i++) {
		if (p[i] < '0' || p[i] > '9')
			return 256;
		value = value * 10 + p[i] - '0';
	}
	return value > (sign ? 128 : 255) ? 256 : sign ? 256 - value : value;
}

/* What may be part of a number behind N others. */
static bool is_of_number(const uint8_t *held, int n, uint8_t c)
{
	if (n == 1 && held[0] == '0' && (c | 0x20) == 'x')
		return true;
	if (n >= 2 && (held[1] | 0x20) == 'x')
		return digit(c) >= 0;
	return (c >= '0' && c <= '9') || (n == 0 && c == '-');
}

/* Each of them is two symbols, so that one is left for what is no number. */
enum { NUMBER_HIGH = 0x10, NUMBER_LOW = 0x20, NO_NUMBER = 0xFF };

/* A number is over when something else comes. */
static size_t read_number(struct encoding_state *s, uint8_t c, uint64_t at, struct encoding_symbol *ret)
{
	bool between = c && strchr(ENCODING_BETWEEN_NUMBERS, c) != NULL;
	size_t n = 0;
	int byte;

	if (s->n_held < 4 && is_of_number(s->held, s->n_held, c)) {
		if (!s->n_held)
			s->from = at;
		s->held[s->n_held++] = c;
		s->gap = 0;
		return 0;
	}
	if (s->n_held && between) { /* never more symbols than bytes */
		byte = byte_of(s->held, s->n_held);
		if (byte >= 0 && byte < 256) {
			ret[n++] =
				(struct encoding_symbol){ s->from, at, (uint8_t)(NUMBER_HIGH | byte >> 4) };
			ret[n++] =
				(struct encoding_symbol){ s->from, at, (uint8_t)(NUMBER_LOW | (byte & 15)) };
		} else {
			ret[n++] = (struct encoding_symbol){ s->from, at, NO_NUMBER };
		}
	}
	s->n_held = 0;
	if (between && s->gap < ENCODING_MAX_GAP) {
		s->gap++;
		return n ? n : ENCODING_SKIP;
	}
	s->gap = 0;
	ret[n++] = (struct encoding_symbol){ at, at + 1, NO_NUMBER };
	return n;
}

/* Bytes that may stand between two symbols; blanks of base64 only at the beginning of a line. */
static bool is_between(enum encoding l, const struct encoding_state *s, uint8_t c)
{
	if (s->gap == ENCODING_MAX_GAP)
		return false;
	if (l == ENCODING_WIDE)
		return c == 0 && s->gap < 3;
	if (l == ENCODING_BASE64)
		return c == '\n' || c == '\r' || (s->gap && (c == ' ' || c == '\t'));
	return c == '\n' || c == '\r' || c == ' ' || c == ':' || c == '-' || c == '\\' || c == 'x';
}

size_t encoding_step(enum encoding l, struct encoding_state *s, uint8_t c, uint64_t at,
		     struct encoding_symbol ret[ENCODING_MAX_SYMBOLS])
{
	switch (l) {
	case ENCODING_PERCENT:
		return read_code(s, c, at, read_percent, ret);
	case ENCODING_ESCAPE:
		return read_code(s, c, at, read_escape, ret);
	case ENCODING_DUMP:
		return encoding_dump_step(s, c, at, ret);
	case ENCODING_NUMBERS:
		return read_number(s, c, at, ret);
	case ENCODING_WIDE:
	case ENCODING_BASE64:
	case ENCODING_HEX:
		if (is_between(l, s, c)) {
			s->gap++;
			return ENCODING_SKIP;
		}
		s->gap = 0;
		if (l == ENCODING_BASE64)
			c = c == '-' ? '+' : c == '_' ? '/' : c;
		else if (l == ENCODING_HEX && c >= 'A' && c <= 'F')
			c |= 0x20;
		break;
	case ENCODING_RAW:
	case ENCODING_COUNT:
		break;
	}
	ret[0] = (struct encoding_symbol){ at, at + 1, c };
	return 1;
}

/* Those letters of the base64 of some text that depend on these bytes alone, when VARIANT bytes and whole
 * triples are before. */
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

/* The base64 of those letters: variants 3 to 11; and of those of the other alphabet, if they
 * have any of it. */
static size_t base64_twice(unsigned int variant, const uint8_t *p, size_t len, uint8_t *ret)
{
	uint8_t inner[ENCODING_ROOM(ENCODING_TWICE_MAX)];
	bool other = variant >= 12, has_other = false;
	unsigned int which = (variant - 3) % 9;
	size_t n;

	if (len > ENCODING_TWICE_MAX)
		return 0;
	n = base64_letters(which / 3, p, len, inner);
	for (size_t i = 0; i < n; i++) {
		has_other |= inner[i] == '+' || inner[i] == '/';
		if (other)
			inner[i] = inner[i] == '+' ? '-' : inner[i] == '/' ? '_' : inner[i];
	}
	n = other && !has_other ? 0 : base64_letters(which % 3, inner, n, ret);
	explicit_bzero(inner, sizeof(inner));
	return n;
}

static size_t hex_digits(uint8_t c, uint8_t *ret)
{
	static const char digits[] = "0123456789abcdef";

	ret[0] = (uint8_t)digits[c >> 4];
	ret[1] = (uint8_t)digits[c & 15];
	return 2;
}

/* 0: byte by byte. 1 and 2: as words of two bytes, the second of them first, from the first byte on or from
 * the second. */
static size_t dump_digits(unsigned int variant, const uint8_t *p, size_t len, uint8_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; variant == 0 && i < len; i++)
		n += hex_digits(p[i], ret + n);
	for (size_t i = variant - 1; variant && i + 1 < len; i += 2) {
		n += hex_digits(p[i + 1], ret + n);
		n += hex_digits(p[i], ret + n);
	}
	return n;
}

/* Of letters of two bytes those that are not 0, in either order; bytes that are no UTF-8 are letters of their
 * own. */
static size_t wide_bytes(bool big, const uint8_t *p, size_t len, uint8_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < len;) {
		size_t more = p[i] >= 0xF0 ? 3 : p[i] >= 0xE0 ? 2 : p[i] >= 0xC0 ? 1 : 0;
		unsigned int code = more ? p[i] & (0x3Fu >> more) : p[i], words[2], n_words = 1;
		bool whole = i + more < len;

		for (size_t k = 1; whole && k <= more; k++) {
			whole = (p[i + k] & 0xC0) == 0x80;
			code = code << 6 | (p[i + k] & 0x3F);
		}
		if (!whole) {
			code = p[i];
			more = 0;
		}
		i += more + 1;
		words[0] = code;
		if (code >= 0x10000) {
			words[0] = 0xD800 | (code - 0x10000) >> 10;
			words[1] = 0xDC00 | (code & 0x3FF);
			n_words = 2;
		}
		for (unsigned int w = 0; w < n_words; w++)
			for (int half = 0; half < 2; half++) {
				uint8_t byte = (uint8_t)(words[w] >> (half == (int)big ? 0 : 8));

				if (byte)
					ret[n++] = byte;
			}
	}
	return n;
}

/* 0: as it is. Others: as one encodes it, so that who encodes that again is seen: all bytes or those that
 * must be, in either case. */
static size_t percent_symbols(unsigned int variant, const uint8_t *p, size_t len, uint8_t *ret)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (!variant || (variant > 2 && memchr(plain, p[i], sizeof(plain) - 1))) {
			ret[n++] = fold_blank(p[i]);
			continue;
		}
		ret[n++] = '%';
		n += hex_digits(p[i], ret + n);
		for (size_t k = n - 2; variant % 2 && k < n; k++)
			ret[k] = ret[k] >= 'a' ? (uint8_t)(ret[k] & ~0x20) : ret[k];
	}
	return n;
}

size_t encoding_symbols(enum encoding l, unsigned int variant, const void *bytes, size_t len, uint8_t *ret)
{
	const uint8_t *p = bytes;

	if (variant >= ENCODING_VARIANTS)
		return 0;
	if (l == ENCODING_BASE64)
		return variant < 3 ? base64_letters(variant, p, len, ret)
				   : base64_twice(variant, p, len, ret);
	if (l == ENCODING_DUMP)
		return variant < 3 ? dump_digits(variant, p, len, ret) : 0;
	if (l == ENCODING_PERCENT)
		return variant < 5 ? percent_symbols(variant, p, len, ret) : 0;
	if (l == ENCODING_WIDE)
		return variant < 2 ? wide_bytes(variant, p, len, ret) : 0;
	if (variant)
		return 0;
	if (l == ENCODING_HEX)
		return dump_digits(0, p, len, ret);
	for (size_t i = 0; l == ENCODING_NUMBERS && i < len; i++) {
		ret[2 * i] = (uint8_t)(NUMBER_HIGH | p[i] >> 4);
		ret[2 * i + 1] = (uint8_t)(NUMBER_LOW | (p[i] & 15));
	}
	if (l == ENCODING_NUMBERS)
		return 2 * len;
	memcpy(ret, p, len);
	return len;
}
