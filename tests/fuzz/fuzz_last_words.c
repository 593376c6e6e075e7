/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes last_words: output of a box, in pieces as long as its first byte says. Nothing is read beyond it, no
 * more is kept than has room, the pieces make no difference, and the limits named are those that words can
 * name.
 */
#include <stdbool.h>
#include <string.h>

#include "jail/plan.h"
#include "run/last_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct last_words whole, pieces;
	const char *text = (const char *)data + 1;
	size_t step;
	uint32_t limits;

	if (len < 2)
		return 0;
	len--;
	step = (size_t)data[0] + 1;
	whole.len = pieces.len = 0;
	last_words_add(&whole, text, len);
	for (size_t at = 0; at < len; at += step)
		last_words_add(&pieces, text + at, len - at < step ? len - at : step);
	must(whole.len == (len < LAST_WORDS ? len : LAST_WORDS) && pieces.len == whole.len);
	must(memcmp(whole.text, text + len - whole.len, whole.len) == 0);
	must(memcmp(whole.text, pieces.text, whole.len) == 0);
	limits = last_words_limits(&whole, NULL);
	must(limits == last_words_limits(&pieces, NULL));
	/* The C library's own words are looked for as well, also inside of others. */
	must(!(limits & ~last_words_limits(&pieces, "C")));
	must(!(limits &
	       (1u << LIMIT_WALL_TIME | 1u << LIMIT_LIFETIME | 1u << LIMIT_OUTPUT | 1u << LIMIT_CPU)));
	must(!(limits >> LIMIT_COUNT));
	return 0;
}
