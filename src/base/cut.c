/* SPDX-License-Identifier: Apache-2.0 */
/* FastCDC, with the usual size made likely by two masks. */
#include "base/cut.h"

#include <string.h>

#define KIB (1u << 10)

#define LEAST_PART 512u /* bytes; a shorter one is not cut off */

/* The first N bits of a hash: of 2^N, one has none of them. */
#define FIRST_BITS(n) (~0ull << (64 - (n)))

/* The numbers may be any that look random, but they must never change: equal chunks would not be found. */
static void fill(uint64_t gear[256])
{
	uint64_t state = 0x6169736278ull; /* splitmix64 */

	for (int i = 0; i < 256; i++) {
		uint64_t z = state += 0x9e3779b97f4a7c15ull;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
		gear[i] = z ^ (z >> 31);
	}
}

void cut_init(struct cut *ret, bool parts)
{
	*ret = (struct cut){ .parts = parts };
	fill(ret->gear);
	ret->few = FIRST_BITS(15);  /* of 32 KiB, one ends so */
	ret->many = FIRST_BITS(19); /* of 512 KiB */
	ret->least = parts ? 640u * KIB : 32u * KIB;
	ret->usual = parts ? 768u * KIB : 128u * KIB;
	ret->most = parts ? 1024u * KIB : CUT_MOST;
}

void cut_init_usual(struct cut *ret, unsigned int bits)
{
	*ret = (struct cut){ .few = FIRST_BITS(bits - 2), .many = FIRST_BITS(bits + 2) };
	fill(ret->gear);
	ret->usual = (size_t)1 << bits;
	ret->least = ret->usual / 4;
	ret->most = ret->usual * 4;
}

static bool is_part(const uint8_t *data, size_t len)
{
	/* deflate, no name, no time */
	return len >= 8 &&
	       (!memcmp(data, "\x1f\x8b\x08\0\0\0\0\0", 8) || !memcmp(data, "\x28\xb5\x2f\xfd", 4));
}

size_t cut_first_part(const uint8_t *data, size_t len)
{
	for (size_t i = LEAST_PART; i + 8 <= len; i++)
		if ((data[i] == 0x1f || data[i] == 0x28) && is_part(data + i, len - i))
			return i;
	return len;
}

size_t cut_find(const struct cut *c, const uint8_t *data, size_t len)
{
	uint64_t hash = 0;
	size_t i = c->least;

	if (len > c->most)
		len = c->most;
	if (c->parts)
		len = cut_first_part(data, len);
	if (len <= c->least)
		return len;
	for (; i < len && i < c->usual; i++) {
		hash = (hash << 1) + c->gear[data[i]];
		if (!(hash & c->many))
			return i + 1;
	}
	for (; i < len; i++) {
		hash = (hash << 1) + c->gear[data[i]];
		if (!(hash & c->few))
			return i + 1;
	}
	return len;
}
