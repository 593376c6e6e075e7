/* SPDX-License-Identifier: Apache-2.0 */
/* Public keys of seeds: one that OpenSSL computed, and what is no seed of a user. */
#include "support/test.h"

#include "fleet/bus/parts.h"

#define SEED   "SUADBXHMU2UMYZCNEWC4NN2VEU4NVTTM3PE6MLVPXQBGFI7NKL44K7TFNM"
#define PUBLIC "UCPO7NUMCREFQ7YVCG2J6MODCB32YKIYZBYPOSHZISDSUR6A4C6F5FXM"

static void test_public(void **state)
{
	char public[NKEY_LEN];

	(void)state;
	assert_int_equal(nkey_public(SEED, public), 0);
	assert_string_equal(public, PUBLIC);
}

static void test_refused(void **state)
{
	char seed[] = SEED, public[NKEY_LEN] = "untouched";

	(void)state;
	assert_int_equal(nkey_public("", public), -EINVAL);
	assert_int_equal(nkey_public("S", public), -EINVAL);
	assert_int_equal(nkey_public(PUBLIC, public), -EINVAL);
	assert_int_equal(nkey_public(SEED "A", public), -EINVAL);
	/* Each character is covered by the checksum; a lower case one is none. */
	for (size_t i = 0; i < strlen(SEED); i++) {
		seed[i] = SEED[i] == 'A' ? 'B' : 'A';
		assert_int_equal(nkey_public(seed, public), -EINVAL);
		seed[i] = 'a';
		assert_int_equal(nkey_public(seed, public), -EINVAL);
		seed[i] = SEED[i];
	}
	assert_string_equal(public, "untouched");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_public),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
