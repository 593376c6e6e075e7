/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8, and which of them nobody sees. */
#ifndef BASE_UNICODE_H
#define BASE_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at TEXT, which is not at its end, and its length; a byte that begins none is taken for
 * itself. */
uint32_t unicode_next(const char *text, size_t *ret_len);

/* Written with more bytes than it takes: some read it as what it is not. */
static inline bool unicode_is_overlong(uint32_t c, size_t len)
{
	return (len == 2 && c < 0x80) || (len == 3 && c < 0x800) || (len == 4 && c < 0x10000);
}

/* Bytes of the character at TEXT, of which LEFT are there; 0 when there is none. As RFC 3629: no surrogates,
 * nothing overlong. */
static inline size_t unicode_length(const char *text, size_t left)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 || s[0] > 0xf4 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	uint32_t c = n < 2 ? 0 : s[0] & (0x7fu >> n);

	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	return unicode_is_overlong(c, n) || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ? 0 : n;
}

/* It has no width and no shape, so two texts that differ in it look alike (Default_Ignorable_Code_Point, and
 * controls of layout). */
bool unicode_is_ignorable(uint32_t c);
/* It is not seen, looks like a space, breaks the line or turns the direction. Controls of ASCII are not
 * meant. */
bool unicode_is_hidden(uint32_t c);
/* It is drawn over the character before it. */
bool unicode_is_mark(uint32_t c);

/* How a text of foreign origin is shown to a person. */
struct unicode_show {
	const char *keep; /* controls of ASCII that stay */
	bool joins; /* what makes one picture of several stays: in text it does that, in a name it makes two
		       look alike */
	unsigned int marks; /* in a row so far; 0 at first */
};

/* Room for one character however it is shown. */
#define UNICODE_SHOWN 12

/*
 * The character at TEXT, which is not at its end, as it is shown: itself; '?' for a control; "\\u202e" for
 * what nobody sees, and for marks when too many are drawn over each other; "\\x9b" for a byte that begins no
 * character. Returns how many bytes of TEXT that was. The one place where this is decided: whatever reaches a
 * terminal goes through it.
 */
size_t unicode_show(struct unicode_show *how, const char *text, char ret[UNICODE_SHOWN]);

#endif
