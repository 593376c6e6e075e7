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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_examples),
					    cmocka_unit_test(test_both_ways) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
