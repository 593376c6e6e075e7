/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 with the standard alphabet; decoding accepts only what encoding would produce. */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct buf *b, const char *data, size_t len)
{
	const uint8_t *in = (const uint8_t *)data;

	for (size_t i = 0; i < len; i += 3) {
		uint32_t bits = (uint32_t)in[i] << 16 | (i + 1 < len ? (uint32_t)in[i + 1] << 8 : 0) |
				(i + 2 < len ? in[i + 2] : 0);
		const char group[4] = { letters[bits >> 18], letters[bits >> 12 & 63],
					i + 1 < len ? letters[bits >> 6 & 63] : '=',
					i + 2 < len ? letters[bits & 63] : '=' };

		buf_add(b, group, sizeof(group));
	}
}

static int value_of(char c)
{
	const char *at = c ? strchr(letters, c) : NULL;

	return at ? (int)(at - letters) : -1;
}

/*
 * Bytes that a group stands for; 0: it is none. Padding is only good in the last, and what it leaves out must
 * be zero.
 */
static size_t read_group(const char *text, bool last, uint8_t out[3])
{
	size_t n = last && text[3] == '=' ? (text[2] == '=' ? 1 : 2) : 3;
	uint32_t bits = 0;

	for (size_t i = 0; i < 4; i++) {
		int v = i <= n ? value_of(text[i]) : 0;

		if (v < 0)
			return 0;
		bits = bits << 6 | (uint32_t)v;
	}
	if (n < 3 && bits & ((1u << 8 * (3 - n)) - 1))
		return 0;
	out[0] = (uint8_t)(bits >> 16);
	out[1] = (uint8_t)(bits >> 8);
	out[2] = (uint8_t)bits;
	return n;
}

bool base64_read(struct buf *b, const char *text, size_t len)
{
	size_t before = b->len;

	for (size_t i = 0; i < len; i += 4) {
		uint8_t bytes[3];
		size_t n = len - i >= 4 ? read_group(text + i, i + 4 == len, bytes) : 0;

		if (!n) {
			b->len = before;
			return false;
		}
		buf_add(b, bytes, n);
	}
	return true;
}
