/* SPDX-License-Identifier: Apache-2.0 */
/* Which names of an archive mean a deletion. */
#include "support/test.h"

#include "helpers/image/unpack.h"

static void names_and_their_meaning(void **state)
{
	static const struct {
		const char *path;
		enum whiteout kind;
		const char *name;
	} cases[] = {
		{ "a", WHITEOUT_NONE, NULL },
		{ "a/b.wh.c", WHITEOUT_NONE, NULL },
		{ ".wh", WHITEOUT_NONE, NULL },
		{ ".whx", WHITEOUT_NONE, NULL },
		{ "wh.a", WHITEOUT_NONE, NULL },
		{ ".wh.a", WHITEOUT_NAME, "a" },
		{ "d/.wh.a", WHITEOUT_NAME, "a" },
		{ ".wh..a", WHITEOUT_NAME, ".a" },
		{ ".wh..wh", WHITEOUT_NAME, ".wh" },
		{ ".wh.....", WHITEOUT_NAME, "...." },
		{ ".wh..wh..opq", WHITEOUT_OPAQUE, NULL },
		{ "d/e/.wh..wh..opq", WHITEOUT_OPAQUE, NULL },
		{ ".wh..wh..opq2", WHITEOUT_IGNORED, NULL },
		{ ".wh..wh.aufs", WHITEOUT_IGNORED, NULL },
		{ ".wh..wh.plnk/1.2", WHITEOUT_IGNORED, NULL },
		{ ".wh..wh..opq/x", WHITEOUT_IGNORED, NULL },
		{ ".wh.", WHITEOUT_INVALID, NULL },
		{ "d/.wh..", WHITEOUT_INVALID, NULL },
		{ ".wh...", WHITEOUT_INVALID, NULL },
		{ ".wh.a/b", WHITEOUT_INVALID, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *name = NULL;

		assert_int_equal(whiteout_of(cases[i].path, &name), cases[i].kind);
		if (cases[i].name)
			assert_string_equal(name, cases[i].name);
	}
}

static void paths_are_cleaned(void **state)
{
	char clean[TAR_NAME_MAX + 1];
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(unpack_clean("/a//b/./c/", clean, &e), 0);
	assert_string_equal(clean, "a/b/c");
	assert_int_equal(unpack_clean("./", clean, &e), 0);
	assert_string_equal(clean, "");
	assert_int_equal(unpack_clean("...", clean, &e), 0);
	assert_string_equal(clean, "...");
	assert_failed(unpack_clean("a/../b", clean, &e), EPERM, e, "leads out");
	assert_failed(unpack_clean("..", clean, &e), EPERM, e, "leads out");
}

static void paths_have_a_length(void **state)
{
	char name[258] = { 0 }, deep[2 * 300 + 1] = { 0 }, clean[TAR_NAME_MAX + 1];
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	memset(name, 'n', 255);
	assert_int_equal(unpack_clean(name, clean, &e), 0);
	memset(name, 'n', 256);
	assert_failed(unpack_clean(name, clean, &e), ENAMETOOLONG, e, "too long");
	for (size_t i = 0; i < 300; i++)
		memcpy(deep + 2 * i, "d/", 2);
	assert_failed(unpack_clean(deep, clean, &e), ENAMETOOLONG, e, "too long");
	deep[2 * UNPACK_DEPTH_MAX] = '\0';
	assert_int_equal(unpack_clean(deep, clean, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_their_meaning),
		cmocka_unit_test(paths_are_cleaned),
		cmocka_unit_test(paths_have_a_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
