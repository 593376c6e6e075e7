/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encodings in which bytes commonly appear in text: plain, base64, hexadecimal, with %XX, with
 * backslashes, as wide characters, in dumps, as lists of numbers. An encoding reads a text byte by byte and
 * produces symbols; the same bytes produce the same symbols whatever the encoding.
 */
#ifndef BASE_ENCODING_H
#define BASE_ENCODING_H

#include <stddef.h>
#include <stdint.h>

enum encoding {
	ENCODING_RAW,     /* as it is */
	ENCODING_BASE64,  /* either alphabet, with or without line breaks; encoded once or twice */
	ENCODING_HEX,     /* either case; with spaces, line breaks, ":" "-" or "\x" between */
	ENCODING_PERCENT, /* %XX for any of the bytes, encoded once or twice; "+" is a space */
	ENCODING_ESCAPE,  /* as JSON, C, Python and shells quote: \n \" \u00e9 \xe9 \351 */
	ENCODING_WIDE,    /* UTF-16 and UTF-32 */
	ENCODING_DUMP,    /* hexadecimal between an offset and a column of text: hexdump, xxd, od */
	ENCODING_NUMBERS, /* a list: 0x53, 0x33 or 83, 51 */
	ENCODING_COUNT
};

/* Its name for people. */
const char *encoding_name(enum encoding l);

struct encoding_symbol {
	uint64_t from, to; /* where in the text it was read */
	uint8_t byte;
};

/* What was read and is not a symbol yet. */
struct encoding_state {
	uint64_t from; /* where the first of it was */
	uint8_t held[12];
	uint8_t n_held;
	uint16_t gap; /* bytes that do not count, one behind the other; ENCODING_DUMP: and where in a line
			 they are */
};

/* The most symbols that one byte can produce: earlier ones may have waited for it. */
#define ENCODING_MAX_SYMBOLS 16
/* What would be more between two symbols counts. */
#define ENCODING_MAX_GAP 64
/* Result of encoding_step: this byte is ignored, it may stand between any two. */
#define ENCODING_SKIP SIZE_MAX

/* The byte C at AT. Returns how many symbols it produced, or ENCODING_SKIP. */
size_t encoding_step(enum encoding l, struct encoding_state *s, uint8_t c, uint64_t at,
		     struct encoding_symbol ret[ENCODING_MAX_SYMBOLS]);

/*
 * In base64 a text looks different depending on its offset: three variants, and each again if it is encoded
 * twice.
 */
#define ENCODING_VARIANTS 21
/* For longer texts those of the second kind are not made. */
#define ENCODING_TWICE_MAX 512u
/* Room for the symbols of N bytes. */
#define ENCODING_ROOM(n) (3 * (n) + 4)
/* What may stand between two numbers of a list. */
#define ENCODING_BETWEEN_NUMBERS ", \t\n\r;[](){}"

/* Of ENCODING_DUMP, by encoding_step. */
size_t encoding_dump_step(struct encoding_state *s, uint8_t c, uint64_t at,
			  struct encoding_symbol ret[ENCODING_MAX_SYMBOLS]);

/* The symbols that LEN bytes produce wherever they occur; returns how many, 0 if there is no such variant. */
size_t encoding_symbols(enum encoding l, unsigned int variant, const void *bytes, size_t len, uint8_t *ret);

#endif
