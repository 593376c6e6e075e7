/* SPDX-License-Identifier: Apache-2.0 */
/* Who commits, and what a commit changes, as git tells it. */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "promote/commit.h"
#include "promote/commit_identity.h"

static void identities(void **state)
{
	scoped(git_identity_finish) struct git_identity i = { 0 };

	(void)state;
	assert_true(git_identity_read("[core]\n\tname = no\n[user]\n\tname = \"Ada L\" # one\n\temail=a@b\n",
				      &i));
	assert_string_equal(i.name, "Ada L");
	assert_string_equal(i.email, "a@b");
	assert_true(git_identity_read("[USER]\n\tName = Eve\n[alias]\n\temail = x\n", &i));
	assert_string_equal(i.name, "Eve");
	assert_string_equal(i.email, "a@b");
}

static void authors(void **state)
{
	static const char *const env[] = { "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=", "HOME=/nonexistent",
					   NULL };
	const struct caller by = { .env = env };
	struct git_identity i = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(commit_identity_find(&by, "Ada L <a@b>", &i, &e), 0);
	assert_string_equal(i.name, "Ada L");
	assert_string_equal(i.email, "a@b");
	git_identity_finish(&i);
	i = (struct git_identity){ 0 };
	assert_int_equal(commit_identity_find(&by, NULL, &i, &e), 0);
	assert_string_equal(i.name, "Ada");
	assert_null(i.email); /* empty is as good as not set */
	git_identity_finish(&i);
	i = (struct git_identity){ 0 };
	assert_int_equal(commit_identity_find(&by, "Ada", &i, &e), -EINVAL);
	git_identity_finish(&i);
}

static void files(void **state)
{
	static const char told[] = "A\0new\0M\0a b\0R100\0old\0D\0gone\0X";
	struct commit_made c = { .told = { .data = (char *)(uintptr_t)told, .len = sizeof(told) - 1 },
				 .files = told };
	static const char *const want[][2] = {
		{ "added", "new" }, { "modified", "a b" }, { "changed", "old" }, { "deleted", "gone" }
	};
	const char *at = NULL, *change, *path;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_true(commit_next_file(&c, &at, &change, &path));
		assert_string_equal(change, want[i][0]);
		assert_string_equal(path, want[i][1]);
	}
	assert_false(commit_next_file(&c, &at, &change, &path)); /* a letter without a path */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identities),
		cmocka_unit_test(authors),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
