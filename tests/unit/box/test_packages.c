/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of package managers: what is read of them, what is not, and how two of them differ. */
#include "support/test.h"

#include "base/str.h"
#include "box/packages.h"

#define INSTALLED "Status: install ok installed\n"

static const char two[] =
	"Package: bash\n" INSTALLED "Architecture: amd64\nVersion: 5.2.15-2+b7\nDescription: shell\n"
	" Version: 9 is no field of it\n\nPackage: hello\n" INSTALLED "Version: 2.10-3\n";

static void read_dpkg(const char *text, struct package_list *ret)
{
	*ret = (struct package_list){ 0 };
	assert_int_equal(packages_read_dpkg(text, strlen(text), ret), 0);
	package_list_sort(ret);
}

static void test_dpkg(void **state)
{
	struct package_list l;

	(void)state;
	read_dpkg(two, &l);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.items[0].name, "bash");
	assert_string_equal(l.items[0].version, "5.2.15-2+b7");
	assert_string_equal(l.items[0].arch, "amd64");
	assert_string_equal(l.items[1].name, "hello");
	package_list_finish(&l);
	read_dpkg("Package: a\nStatus: deinstall ok config-files\nVersion: 1\n\nPackage: b\nStatus: install "
		  "ok unpacked\nVersion: 1",
		  &l);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.items[0].state, PACKAGE_UNPACKED);
	package_list_finish(&l);
	read_dpkg("", &l);
	assert_int_equal(l.n, 0);
	package_list_finish(&l);
}

/* Each has a name or version that no package has. */
static void test_hostile(void **state)
{
	static const char *const texts[] = {
		"Package: -rf\n" INSTALLED "Version: 1\n",
		"Package: a b\n" INSTALLED "Version: 1\n",
		"Package: a;id\n" INSTALLED "Version: 1\n",
		"Package: a\n" INSTALLED "Version: $(id)\n",
		"Package: a\n" INSTALLED "Version: \n",
		"Package: a\n" INSTALLED,
		"Package: a\x1b[2J\n" INSTALLED "Version: 1\n",
		"Package: \xc3\xa4\n" INSTALLED "Version: 1\n",
		"Package: ../x\n" INSTALLED "Version: 1\n",
		"Package: a\n" INSTALLED "Architecture: 12345678901234567890\nVersion: 1\n",
	};
	char *name = calloc(1, PACKAGE_WORD_MAX + 60);
	struct package_list l;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		read_dpkg(texts[i], &l);
		if (l.n || l.skipped != 1)
			fail_msg("taken: %s", texts[i]);
		package_list_finish(&l);
	}
	assert_non_null(name);
	for (size_t n = PACKAGE_WORD_MAX; n < PACKAGE_WORD_MAX + 2; n++) {
		snprintf(name, PACKAGE_WORD_MAX + 60, "Package: %0*d\n" INSTALLED "Version: 1\n", (int)n, 1);
		read_dpkg(name, &l);
		assert_int_equal(l.n, n <= PACKAGE_WORD_MAX);
		package_list_finish(&l);
	}
	free(name);
}

static void test_apk_and_pip(void **state)
{
	static const char apk[] = "C:Q1abc\nP:busybox\nV:1.36.1-r2\nA:x86_64\n\nC:Q1\nP:musl\nV:1.2.4-r1\n";
	struct package_list l = { 0 };

	(void)state;
	assert_int_equal(packages_read_apk(apk, strlen(apk), &l), 0);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.items[1].version, "1.2.4-r1");
	package_list_finish(&l);
	assert_true(packages_add_pip("requests-2.31.0.dist-info", &l));
	assert_true(packages_add_pip("zope.interface-6.0.dist-info", &l));
	assert_false(packages_add_pip("requests.dist-info", &l));
	assert_false(packages_add_pip("-1.dist-info", &l));
	assert_false(packages_add_pip("a;b-1.dist-info", &l));
	assert_false(packages_add_pip(".dist-info", &l));
	assert_false(packages_add_pip("requests-2.31.0.egg-info", &l));
	assert_int_equal(l.n, 2);
	assert_string_equal(l.items[0].name, "requests");
	package_list_finish(&l);
}

static void test_too_many(void **state)
{
	const size_t n = PACKAGES_MAX + 1;
	char *text = malloc(n * 16), *at = text;
	struct package_list l = { 0 };

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "P:a%zu\nV:1\n\n", i);
	assert_int_equal(packages_read_apk(text, (size_t)(at - text), &l), -E2BIG);
	package_list_finish(&l);
	free(text);
}

/* The rule of Debian's policy, 5.6.12. */
static void test_versions(void **state)
{
	static const struct {
		const char *a, *b;
		int order;
	} rows[] = {
		{ "1.0", "1.0", 0 },      { "1.0", "1.1", -1 },     { "1.9", "1.10", -1 },
		{ "1.0~rc1", "1.0", -1 }, { "1.0~~", "1.0~", -1 },  { "1:0.1", "9.9", 1 },
		{ "1.0-1", "1.0-2", -1 }, { "1.0", "1.0-0", 0 },    { "1.0a", "1.0", 1 },
		{ "1.0+b1", "1.0", 1 },   { "2.10-3", "2.9-1", 1 }, { "007", "7", 0 },
		{ "1.0.0", "1.0", 1 },    { "1.a", "1.1", 1 },      { "0:1", "1", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int order = package_version_compare(rows[i].a, rows[i].b),
		    back = package_version_compare(rows[i].b, rows[i].a);

		if ((order > 0) - (order < 0) != rows[i].order || (back > 0) - (back < 0) != -rows[i].order)
			fail_msg("%s and %s: %d, %d", rows[i].a, rows[i].b, order, back);
	}
}

static void test_changes(void **state)
{
	static const char before[] =
		"Package: conf\nStatus: install ok unpacked\nVersion: 1\n\nPackage: down\n" INSTALLED
		"Version: 2\n\nPackage: gone\n" INSTALLED "Version: 1\n\nPackage: same\n" INSTALLED
		"Version: 1\n\nPackage: up\n" INSTALLED "Version: 1\n";
	static const char now[] = "Package: conf\n" INSTALLED "Version: 1\n\nPackage: down\n" INSTALLED
				  "Version: 1\n\nPackage: half\nStatus: install ok half-configured\nVersion: "
				  "1\n\nPackage: new\n" INSTALLED "Version: 1\n\nPackage: same\n" INSTALLED
				  "Version: 1\n\nPackage: up\n" INSTALLED "Version: 1.1\n";
	static const struct {
		const char *name, *change;
	} wanted[] = { { "conf", "configured" }, { "down", "downgraded" }, { "gone", "removed" },
		       { "half", "unpacked" },   { "new", "installed" },   { "up", "upgraded" } };
	struct package_changes c = { 0 };
	struct package_list a, b;

	(void)state;
	read_dpkg(before, &a);
	read_dpkg(now, &b);
	assert_int_equal(packages_compare(PACKAGE_DPKG, &a, &b, &c), 0);
	assert_int_equal(c.n, sizeof(wanted) / sizeof(*wanted));
	for (size_t i = 0; i < c.n; i++) {
		assert_string_equal(c.items[i].name, wanted[i].name);
		assert_string_equal(package_change_name(c.items[i].kind), wanted[i].change);
	}
	package_changes_finish(&c);
	package_list_finish(&a);
	package_list_finish(&b);
}

static void test_users(void **state)
{
	struct strlist found = { 0 };

	(void)state;
	assert_int_equal(packages_new_users("root:x:0:0\nalice:x:1\n",
					    "root:x:0:0\n_apt:x:42\neve:x:0:0\n-x:1\n\x1b:1\nno colon\n",
					    &found),
			 0);
	assert_int_equal(found.n, 2);
	assert_string_equal(found.items[0], "_apt");
	assert_string_equal(found.items[1], "eve");
	strlist_finish(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dpkg),        cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_apk_and_pip), cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_versions),    cmocka_unit_test(test_changes),
		cmocka_unit_test(test_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
