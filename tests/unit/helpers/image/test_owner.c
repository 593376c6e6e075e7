/* SPDX-License-Identifier: Apache-2.0 */
/* Whose a file of an image is: with shifted ids, with one id, and what of that is in its attributes. */
#include "support/test.h"

#include "helpers/image/owner.h"

static void plain_ids_stay(void **state)
{
	struct owner o = owner_of(1000, 100, 04755, false, 0, false);

	(void)state;
	assert_int_equal(o.uid, 1000);
	assert_int_equal(o.gid, 100);
	assert_int_equal(o.mode, 04755);
	assert_string_equal(o.note, "");
	assert_int_equal(owner_of(100000, 0, 0644, false, 0, false).uid, 100000);
}

static void ids_are_shifted(void **state)
{
	struct owner o = owner_of(0, 65535, 0644, false, 200000, false);

	(void)state;
	assert_int_equal(o.uid, 200000);
	assert_int_equal(o.gid, 265535);
	assert_string_equal(o.note, "");
	o = owner_of(65536, 7, 0644, false, 200000, false);
	assert_int_equal(o.uid, 200000 + OWNER_OTHER);
	assert_int_equal(o.gid, 200007);
	assert_string_equal(o.note, "65536:7");
}

static void one_id_has_notes(void **state)
{
	(void)state;
	assert_string_equal(owner_of(0, 0, 0644, false, 0, true).note, "");
	assert_string_equal(owner_of(0, 5, 0644, false, 0, true).note, "0:5");
	assert_string_equal(owner_of(4294967294u, 4294967294u, 06777, false, 0, true).note,
			    "4294967294:4294967294:6777");
	assert_string_equal(owner_of(0, 0, 02755, false, 0, true).note, "0:0:2755");
	assert_int_equal(owner_of(0, 0, 02755, false, 0, true).mode, 0755);
	assert_int_equal(owner_of(0, 0, 01777, false, 0, true).mode, 01777);
	assert_int_equal(owner_of(0, 0, 02755, true, 0, true).mode, 02755); /* a directory runs as nobody */
	assert_string_equal(owner_of(0, 0, 02755, true, 0, true).note, "");
}

static bool fits(const char *name, bool one_id)
{
	char value[XATTR_MORE + 1] = "x";
	size_t len = 1;

	return xattr_fits(name, value, &len, 0, one_id, true);
}

static void marks_are_not_taken(void **state)
{
	(void)state;
	assert_true(fits("user.a", false));
	assert_true(fits("user.overlay", false));
	assert_true(fits("user.aisbxy", true));
	assert_false(fits("user.overlay.opaque", false));
	assert_false(fits("user.aisbx.owner", true));
	assert_false(fits("trusted.overlay.opaque", false));
	assert_false(fits("security.selinux", false));
	assert_false(fits("security.capability", false)); /* of a wrong length */
	assert_false(fits("system.posix_acl_access", false));
	assert_false(fits("", false));
}

static void capabilities_get_a_root(void **state)
{
	static const char two[20] = { 1, 0, 0, 2, 0, 4 }, three[24] = { 1, 0, 0, 3, 0, 4, [20] = 9 };
	char value[24 + XATTR_MORE];
	size_t len = sizeof(two);

	(void)state;
	memcpy(value, two, sizeof(two));
	assert_true(xattr_fits("security.capability", value, &len, 0, false, true));
	assert_memory_equal(value, two, sizeof(two));
	assert_false(xattr_fits("security.capability", value, &len, 0, false, false));
	assert_true(xattr_fits("security.capability", value, &len, 0x10000, false, true));
	assert_int_equal(len, 24);
	assert_memory_equal(value, "\1\0\0\3\0\4", 6);
	assert_memory_equal(value + 20, "\0\0\1\0", 4);
	memcpy(value, three, sizeof(three));
	len = sizeof(three);
	assert_true(xattr_fits("security.capability", value, &len, 0x10000, false, true));
	assert_memory_equal(value + 20, "\11\0\1\0", 4);
	len = sizeof(two); /* says 3, is as long as 2 */
	assert_false(xattr_fits("security.capability", value, &len, 0, false, true));
}

static void access_lists_are_shifted(void **state)
{
	char acl[] = "\2\0\0\0"
		     "\1\0\7\0\377\377\377\377"
		     "\2\0\7\0\41\0\0\0"
		     "\10\0\5\0\5\0\0\0";
	char value[sizeof(acl) + XATTR_MORE];
	size_t len = sizeof(acl) - 1;

	(void)state;
	memcpy(value, acl, len);
	assert_true(xattr_fits("system.posix_acl_access", value, &len, 0x10000, false, true));
	assert_memory_equal(value, acl, 12);
	assert_memory_equal(value + 16, "\41\0\1\0", 4);
	assert_memory_equal(value + 24, "\5\0\1\0", 4);
	assert_false(xattr_fits("system.posix_acl_access", value, &len, 0, true, true));
	memcpy(value, acl, len);
	memcpy(value + 16, "\0\0\1\0", 4); /* nobody of the box */
	assert_false(xattr_fits("system.posix_acl_default", value, &len, 0x10000, false, true));
	len--;
	assert_false(xattr_fits("system.posix_acl_access", value, &len, 0, false, true));
}

static void subordinate_ids(void **state)
{
	struct owner o = owner_of(70, 65535, 06755, false, 0, OWNER_SUB);
	char value[20 + XATTR_MORE] = "\0\0\0\2\0\4";
	size_t len = 20;

	(void)state;
	assert_int_equal(o.uid, 70);
	assert_int_equal(o.gid, 65535);
	assert_int_equal(o.mode, 06755);
	assert_string_equal(o.note, "");
	/* Only what would run as the real user, or in the real group, is taken away. */
	o = owner_of(0, 70, 06755, false, 0, OWNER_SUB);
	assert_int_equal(o.mode, 02755);
	assert_string_equal(o.note, "0:70:6755");
	o = owner_of(70, 0, 06755, false, 0, OWNER_SUB);
	assert_int_equal(o.mode, 04755);
	assert_int_equal(owner_of(0, 0, 02755, true, 0, OWNER_SUB).mode, 02755);
	o = owner_of(65536, 0, 0644, false, 0, OWNER_SUB);
	assert_int_equal(o.uid, OWNER_OTHER);
	assert_string_equal(o.note, "65536:0");
	assert_true(xattr_fits("security.capability", value, &len, 0, OWNER_SUB, true));
	assert_int_equal(len, 20); /* the kernel adds whose root it is */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_ids_stay),          cmocka_unit_test(ids_are_shifted),
		cmocka_unit_test(one_id_has_notes),        cmocka_unit_test(marks_are_not_taken),
		cmocka_unit_test(capabilities_get_a_root), cmocka_unit_test(access_lists_are_shifted),
		cmocka_unit_test(subordinate_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
