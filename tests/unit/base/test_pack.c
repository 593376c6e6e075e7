/* SPDX-License-Identifier: Apache-2.0 */
/* What is packed comes back, and nothing else does. */
#include "support/test.h"

#include "base/pack.h"
#include "base/scope.h"

static void there_and_back(void **state)
{
	scoped(buf_finish) struct buf packed = { 0 };
	char text[100000], back[100000];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i % 7);
	assert_true(pack_bytes(text, sizeof(text), &packed));
	assert_true(packed.len < sizeof(text) / 10);
	assert_true(unpack_bytes(packed.data, packed.len, back, sizeof(back)));
	assert_memory_equal(text, back, sizeof(text));
}

static void damage(void **state)
{
	scoped(buf_finish) struct buf packed = { 0 };
	char back[64];

	(void)state;
	assert_true(pack_bytes("0123456789", 10, &packed));
	assert_false(unpack_bytes(packed.data, packed.len, back, 9));
	assert_false(unpack_bytes(packed.data, packed.len, back, 11));
	assert_false(unpack_bytes(packed.data, packed.len - 1, back, 10));
	packed.data[packed.len / 2] ^= 1;
	assert_false(unpack_bytes(packed.data, packed.len, back, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(there_and_back), cmocka_unit_test(damage) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
