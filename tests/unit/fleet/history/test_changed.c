/* SPDX-License-Identifier: Apache-2.0 */
/* One project has one name, however it was cloned; nobody's password is in it. */
#include "support/test.h"

#include "fleet/history/changed.h"

static void one_project_has_one_name(void **state)
{
	static const char *const same[] = {
		"https://github.com/org/Shop.git",
		"https://GitHub.com/org/Shop",
		"https://ann:secret@github.com/org/Shop/",
		"https://ann:s@cret@github.com/org/Shop.git?a=b#c",
		"ssh://git@github.com/org/Shop.git",
		"git@github.com:org/Shop.git",
		"github.com:org/Shop",
	};
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		assert_true(changed_origin(same[i], name, sizeof(name)));
		assert_string_equal(name, "github.com/org/Shop");
	}
}

static void others_have_other_names(void **state)
{
	static const char *const urls[][2] = {
		{ "https://host:8443/a", "host:8443/a" },
		{ "/srv/git/Shop.git", "/srv/git/Shop" },
		{ "file:///srv/git/Shop.git", "/srv/git/Shop" },
		{ "../Shop", "../Shop" },
		{ ".git", ".git" },
	};
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		assert_true(changed_origin(urls[i][0], name, sizeof(name)));
		assert_string_equal(name, urls[i][1]);
	}
}

static void what_is_no_name(void **state)
{
	static const char *const urls[] = {
		"",
		"/",
		"https://",
		"https://host/a b",
		"https://host/\n",
		"host:\xff",
		"https://host/01234567890123456789012345678901234567890123456789012345678"
	};
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++)
		assert_false(changed_origin(urls[i], name, sizeof(name)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_project_has_one_name),
		cmocka_unit_test(others_have_other_names),
		cmocka_unit_test(what_is_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
