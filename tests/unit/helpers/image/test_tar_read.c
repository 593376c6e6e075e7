/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and records of tar headers; whole archives are in tests/e2e/test_unpack_same.py. */
#include "support/test.h"

#include "helpers/image/tar_read.h"

static void numbers(void **state)
{
	static const struct {
		const char *field; /* of 12 bytes */
		bool good;
		int64_t value;
	} cases[] = {
		{ "00000000017\0", true, 15 },
		{ "  17 \0\0\0\0\0\0\0", true, 15 },
		{ "\0\0\0\0\0\0\0\0\0\0\0\0", true, 0 },
		{ "777777777777", true, 0777777777777 },
		{ "12345678901\0", false, 0 },
		{ "-1\0\0\0\0\0\0\0\0\0\0", false, 0 },
		{ "\200\0\0\0\0\0\0\0\0\0\1\2", true, 258 },
		{ "\200\0\0\0\177\377\377\377\377\377\377\377", true, INT64_MAX },
		{ "\200\0\0\0\200\0\0\0\0\0\0\0", false, 0 },
		{ "\200\0\0\1\0\0\0\0\0\0\0\0", false, 0 },
		{ "\377\377\377\377\377\377\377\377\377\377\377\377", true, -1 },
		{ "\377\377\377\377\377\377\377\377\377\377\376\0", true, -512 },
		{ "\377\377\377\377\200\0\0\0\0\0\0\0", true, INT64_MIN },
		{ "\377\377\377\377\177\377\377\377\377\377\377\377", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t value = 0;
		bool good = tar_number((const uint8_t *)cases[i].field, 12, &value);

		if (good != cases[i].good || value != cases[i].value)
			fail_msg("case %zu: %d %lld", i, good, (long long)value);
	}
}

static int read_records(struct tar_pax *p, const char *text, size_t len, struct aisbx_error *e)
{
	tar_pax_clear(p);
	buf_add(&p->text, text, len);
	buf_str(&p->text);
	return tar_pax_read(p, e);
}

static void records(void **state)
{
	struct tar_pax p = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(read_records(&p, "16 path=a b\nc=d\n19 mtime=-1.250000\n", 35, &e), 0);
	assert_string_equal(p.path, "a b\nc=d");
	assert_true(p.has_mtime);
	assert_int_equal(p.mtime.tv_sec, -2);
	assert_int_equal(p.mtime.tv_nsec, 750000000);
	assert_int_equal(read_records(&p, "30 SCHILY.xattr.user.a=a\0b=cde\n", 31, &e), -EBADMSG);
	assert_int_equal(read_records(&p, "31 SCHILY.xattr.user.a=a\0b=cde\n", 31, &e), 0);
	assert_int_equal(p.n_xattrs, 1);
	assert_string_equal(p.xattrs[0].name, "user.a");
	assert_int_equal(p.xattrs[0].len, 7);
	assert_memory_equal(p.xattrs[0].value, "a\0b=cde", 7);
	assert_int_equal(read_records(&p, "8 uid=7\n7 uid=\n", 15, &e), 0); /* taken back */
	assert_false(p.has_uid);
	buf_finish(&p.text);
	buf_finish(&p.sparse_list);
}

static void records_that_are_wrong(void **state)
{
	static const char *const texts[] = {
		"x",
		"5",
		"6 a=b",
		"7 a=b\n",
		"5 a=b\n",
		"0 a=b\n",
		" 6 a=b\n",
		"6 =ab\n",
		"6 abc\n",
		"99999999999999999999 a=b\n",
		"9 uid=-1\n",
		"9 uid=1x\n",
		"28 uid=99999999999999999999\n",
		"12 mtime=1x\n",
		"11 mtime=.\n",
		"22 GNU.sparse.offset=\n",
		"25 GNU.sparse.numbytes=1\n",
		"22 GNU.sparse.map=1,2,3\n",
	};
	struct tar_pax p = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;

		if (read_records(&p, texts[i], strlen(texts[i]), &e) != -EBADMSG)
			fail_msg("case %zu is taken", i);
	}
	buf_finish(&p.text);
	buf_finish(&p.sparse_list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(records),
		cmocka_unit_test(records_that_are_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
