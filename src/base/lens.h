/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encodings in which bytes commonly appear in text: plain, base64, hexadecimal, with %XX, with
 * backslashes, as wide characters, in dumps, as lists of numbers. A lens reads a text byte by byte and
 * produces symbols; the same bytes produce the same symbols whatever the encoding.
 */
#ifndef BASE_LENS_H
#define BASE_LENS_H

#include <stddef.h>
#include <stdint.h>

enum lens {
	LENS_RAW,     /* as it is */
	LENS_BASE64,  /* either alphabet, with or without line breaks; encoded once or twice */
	LENS_HEX,     /* either case; with spaces, line breaks, ":" "-" or "\x" between */
	LENS_PERCENT, /* %XX for any of the bytes, encoded once or twice; "+" is a space */
	LENS_ESCAPE,  /* as JSON, C, Python and shells quote: \n \" \u00e9 \xe9 \351 */
	LENS_WIDE,    /* UTF-16 and UTF-32 */
	LENS_DUMP,    /* hexadecimal between an offset and a column of text: hexdump, xxd, od */
	LENS_NUMBERS, /* a list: 0x53, 0x33 or 83, 51 */
	LENS_COUNT
};

/* Its name for people. */
const char *lens_name(enum lens l);

struct lens_symbol {
	uint64_t from, to; /* where in the text it was read */
	uint8_t byte;
};

/* What was read and is not a symbol yet. */
struct lens_state {
	uint64_t from; /* where the first of it was */
	uint8_t held[12];
	uint8_t n_held;
	uint16_t gap; /* bytes that do not count, one behind the other; LENS_DUMP: and where in a line they
			 are */
};

/* The most symbols that one byte can produce: earlier ones may have waited for it. */
#define LENS_MAX_SYMBOLS 16
/* What would be more between two symbols counts. */
#define LENS_MAX_GAP 64
/* Result of lens_step: this byte is ignored, it may stand between any two. */
#define LENS_SKIP SIZE_MAX

/* The byte C at AT. Returns how many symbols it produced, or LENS_SKIP. */
size_t lens_step(enum lens l, struct lens_state *s, uint8_t c, uint64_t at,
		 struct lens_symbol ret[LENS_MAX_SYMBOLS]);

/*
 * In base64 a text looks different depending on its offset: three variants, and each again if it is encoded
 * twice.
 */
#define LENS_VARIANTS 21
/* For longer texts those of the second kind are not made. */
#define LENS_TWICE_MAX 512u
/* Room for the symbols of N bytes. */
#define LENS_ROOM(n) (3 * (n) + 4)
/* What may stand between two numbers of a list. */
#define LENS_BETWEEN_NUMBERS ", \t\n\r;[](){}"

/* Of LENS_DUMP, by lens_step. */
size_t lens_dump_step(struct lens_state *s, uint8_t c, uint64_t at, struct lens_symbol ret[LENS_MAX_SYMBOLS]);

/* The symbols that LEN bytes produce wherever they occur; returns how many, 0 if there is no such variant. */
size_t lens_symbols(enum lens l, unsigned int variant, const void *bytes, size_t len, uint8_t *ret);

#endif
