/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 in plain C, and by the instructions that processors have for it: files of boxes are large, and no
 * library is worth linking for it.
 */
#include "base/sha256.h"

#include <stdbool.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t keys[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void mix_one(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[64], v[8];

	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
		       (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
	}
	memcpy(v, state, sizeof(v));
	/* Nothing is moved from one place to the next: each round calls the places by other names. */
	for (unsigned int i = 0; i < 64; i++) {
		const uint32_t a = v[-i & 7], b = v[(1 - i) & 7], c = v[(2 - i) & 7], e = v[(4 - i) & 7];
		uint32_t t = v[(7 - i) & 7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
			     ((e & v[(5 - i) & 7]) ^ (~e & v[(6 - i) & 7])) + keys[i] + w[i];

		v[(3 - i) & 7] += t;
		v[(7 - i) & 7] = t + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
	}
	for (int i = 0; i < 8; i++)
		state[i] += v[i];
}

#ifdef __x86_64__
static bool has_instructions(void)
{
	static int known; /* 0: nobody has asked */
	unsigned int a, b = 0, c = 0, d;

	if (!known)
		known = __get_cpuid(1, &a, &b, &c, &d) && c & bit_SSSE3 && c & bit_SSE4_1 &&
					__get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA
				? 1
				: -1;
	return known > 0;
}

/* The state as the instructions have it is ABEF and CDGH; four rounds at a time. */
__attribute__((target("sha,sse4.1,ssse3"))) static void mix_fast(uint32_t state[8], const uint8_t *block,
								 size_t n)
{
	const __m128i turned = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
	__m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
	__m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
	__m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);

	for (; n; n--, block += 64) {
		const __m128i old_abef = abef, old_cdgh = cdgh;
		__m128i w[4];

		for (int i = 0; i < 4; i++)
			w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block + 16 * i)), turned);
		for (int i = 0; i < 16; i++) {
			__m128i *now = &w[i & 3], last = w[(i + 3) & 3], before = w[(i + 2) & 3], sum;

			if (i >= 4)
				*now = _mm_sha256msg2_epu32(
					_mm_add_epi32(_mm_sha256msg1_epu32(*now, w[(i + 1) & 3]),
						      _mm_alignr_epi8(last, before, 4)),
					last);
			sum = _mm_add_epi32(*now, _mm_loadu_si128((const __m128i *)(keys + 4 * i)));
			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
			abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
		}
		abef = _mm_add_epi32(abef, old_abef);
		cdgh = _mm_add_epi32(cdgh, old_cdgh);
	}
	low = _mm_shuffle_epi32(abef, 0x1b);
	high = _mm_shuffle_epi32(cdgh, 0xb1);
	_mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xf0));
	_mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}
#endif

void sha256_mix_plainly(uint32_t state[8], const uint8_t *blocks, size_t n)
{
	for (; n; n--, blocks += 64)
		mix_one(state, blocks);
}

static void mix(uint32_t state[8], const uint8_t *blocks, size_t n)
{
#ifdef __x86_64__
	if (has_instructions()) {
		mix_fast(state, blocks, n);
		return;
	}
#endif
	sha256_mix_plainly(state, blocks, n);
}

void sha256_init(struct sha256 *s)
{
	*s = (struct sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
					 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void sha256_add(struct sha256 *s, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len) {
		const size_t at = s->len % 64, whole = at ? 0 : len / 64,
			     n = whole           ? whole * 64
				 : 64 - at < len ? 64 - at
						 : len;

		if (whole)
			mix(s->state, p, whole);
		else
			memcpy(s->block + at, p, n);
		s->len += n;
		p += n;
		len -= n;
		if (!whole && s->len % 64 == 0)
			mix(s->state, s->block, 1);
	}
}

void sha256_end(struct sha256 *s, uint8_t ret[SHA256_BYTES])
{
	static const uint8_t pad[64] = { 0x80 };
	uint64_t bits = s->len * 8;
	uint8_t tail[8];

	for (int i = 0; i < 8; i++)
		tail[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(s, pad, 1 + (119 - s->len % 64) % 64);
	sha256_add(s, tail, sizeof(tail));
	for (int i = 0; i < SHA256_BYTES; i++)
		ret[i] = (uint8_t)(s->state[i / 4] >> (24 - i % 4 * 8));
}

void sha256_hmac(const uint8_t key[SHA256_BYTES], const void *data, size_t len, uint8_t ret[SHA256_BYTES])
{
	uint8_t pad[64] = { 0 };
	struct sha256 s;

	memcpy(pad, key, SHA256_BYTES);
	for (size_t i = 0; i < sizeof(pad); i++)
		pad[i] ^= 0x36;
	sha256_init(&s);
	sha256_add(&s, pad, sizeof(pad));
	sha256_add(&s, data, len);
	sha256_end(&s, ret);
	for (size_t i = 0; i < sizeof(pad); i++)
		pad[i] ^= 0x36 ^ 0x5c;
	sha256_init(&s);
	sha256_add(&s, pad, sizeof(pad));
	sha256_add(&s, ret, SHA256_BYTES);
	sha256_end(&s, ret);
}
