/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 by the examples of its standard, and in pieces. */
#include "support/test.h"

#include "base/sha256.h"

static void is(const char *text, size_t times, const char *hex)
{
	struct sha256 s;
	uint8_t sum[SHA256_BYTES];
	char got[2 * SHA256_BYTES + 1];

	sha256_init(&s);
	for (size_t i = 0; i < times; i++)
		sha256_add(&s, text, strlen(text));
	sha256_end(&s, sum);
	for (int i = 0; i < SHA256_BYTES; i++)
		snprintf(got + 2 * i, 3, "%02x", sum[i]);
	assert_string_equal(got, hex);
}

static void test_examples(void **state)
{
	(void)state;
	is("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	is("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	is("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Whatever way this processor takes: many blocks at once, and from any place in one. */
static void test_both_ways(void **state)
{
	static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	uint8_t data[64 * 9];
	uint32_t plain[8];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 37 + i / 64);
	memcpy(plain, first, sizeof(plain));
	sha256_mix_plainly(plain, data, sizeof(data) / 64);
	for (size_t cut = 0; cut <= sizeof(data); cut++) {
		struct sha256 s;

		sha256_init(&s);
		sha256_add(&s, data, cut);
		sha256_add(&s, data + cut, sizeof(data) - cut);
		assert_memory_equal(s.state, plain, sizeof(plain));
	}
}

/* The first example of RFC 4231; its key is filled up with zeros. */
static void test_hmac(void **state)
{
	static const uint8_t want[] = { 0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53, 0x5c, 0xa8, 0xaf,
					0xce, 0xaf, 0x0b, 0xf1, 0x2b, 0x88, 0x1d, 0xc2, 0x00, 0xc9, 0x83,
					0x3d, 0xa7, 0x26, 0xe9, 0x37, 0x6c, 0x2e, 0x32, 0xcf, 0xf7 };
	uint8_t key[SHA256_BYTES] = { 0 }, got[SHA256_BYTES];

	(void)state;
	memset(key, 0x0b, 20);
	sha256_hmac(key, "Hi There", 8, got);
	assert_memory_equal(got, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_examples), cmocka_unit_test(test_both_ways),
					    cmocka_unit_test(test_hmac) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
