/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8, and which of them are invisible. */
#ifndef BASE_UNICODE_H
#define BASE_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at TEXT, which is not at its end, and its length; an invalid byte stands for itself. */
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

/*
 * It has no width and no shape, so two texts that differ in it look the same (Default_Ignorable_Code_Point,
 * and layout controls).
 */
bool unicode_is_ignorable(uint32_t c);
/*
 * It is invisible, looks like a space, breaks the line or changes the direction. ASCII controls are not
 * included.
 */
bool unicode_is_hidden(uint32_t c);
/* It is drawn over the previous character. */
bool unicode_is_mark(uint32_t c);

/* How untrusted text is shown to a person. */
struct unicode_show {
	const char *keep; /* ASCII controls that are kept */
	/* joiners are kept: in text they combine characters, in a name they would make two names look alike
	 */
	bool joins;
	unsigned int marks; /* in a row so far; 0 at first */
};

/* Room for one character however it is shown. */
#define UNICODE_SHOWN 12

/*
 * The character at TEXT, which is not at its end, as it is shown: itself; '?' for a control; "\\u202e" for an
 * invisible character, and for marks if too many are drawn over each other; "\\x9b" for an invalid byte.
 * Returns the number of bytes of TEXT that were used. This is decided in one place: everything that is
 * written to a terminal passes through it.
 */
size_t unicode_show(struct unicode_show *how, const char *text, char ret[UNICODE_SHOWN]);

#endif
