/* SPDX-License-Identifier: Apache-2.0 */
/* What git in a box says of its repositories is a box's word: it is taken whole and well formed, or not at
 * all. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/scope.h"
#include "promote/git_list.h"

#define ONE  "1111111111111111111111111111111111111111"
#define TWO  "2222222222222222222222222222222222222222"
#define MAIN "tree .\ndir /p/.git\ncommon /p/.git\n"

static void test_what_is_well_formed(void **state)
{
	scoped(git_list_finish) struct git_list l = { 0 };
	const struct git_repo *r;

	(void)state;
	assert_int_equal(git_list_parse("tree sub/b\ndir /p/.git/modules/b\ncommon /p/.git/modules/b\nat " TWO
					"\n" MAIN "head refs/heads/main\nat " ONE "\nref " TWO
					" refs/tags/v1\nref " ONE " refs/heads/main\n"
					"busy refs/heads/other one\n",
					"/p", &l),
			 0);
	assert_int_equal(l.n, 2);
	r = git_list_find(&l, "");
	assert_non_null(r);
	assert_string_equal(r->head, "refs/heads/main");
	assert_string_equal(r->at, ONE);
	assert_string_equal(git_ref_find(r, "refs/heads/main"), ONE);
	assert_string_equal(git_ref_find(r, "refs/tags/v1"), TWO);
	assert_null(git_ref_find(r, "refs/heads/none"));
	assert_true(strlist_has(&r->busy, "refs/heads/other one"));
	r = git_list_find(&l, "sub/b");
	assert_non_null(r);
	assert_null(r->head);
	assert_null(git_list_find(&l, "sub"));
}

static void test_what_is_left_out(void **state)
{
	scoped(git_list_finish) struct git_list l = { 0 };

	(void)state;
	/* Outside of the project, told twice, without a directory; branches that are no branches. */
	assert_int_equal(git_list_parse("tree a\ndir /q/.git\ncommon /p/.git\ntree b\ndir /p/b/.git\n" MAIN
					"head refs/remotes/x\nref " ONE " refs/heads/-x\nref " ONE
					" refs/notes/n\n" MAIN,
					"/p", &l),
			 0);
	assert_int_equal(l.n, 1);
	assert_null(l.repos[0].head);
	assert_int_equal(l.repos[0].n_refs, 0);
}

static void test_what_is_refused(void **state)
{
	static const char *const said[] = { "tree",
					    "tree .",
					    "dir /p/.git\n",
					    MAIN "what x\n",
					    MAIN "at " ONE "1\n",
					    MAIN "at -\n",
					    MAIN "ref " ONE "\n",
					    MAIN "ref x refs/heads/a\n",
					    "tree ../x\n",
					    "tree /x\n",
					    "tree a//b\n",
					    "tree .\ndir p/.git\n",
					    "tree .\ndir /p/../q/.git\n",
					    MAIN "\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
		struct git_list l = { 0 };

		if (git_list_parse(said[i], "/p", &l) != -EBADMSG)
			fail_msg("'%s' was taken", said[i]);
		assert_int_equal(l.n, 0);
	}
}

static void test_names(void **state)
{
	static const char *const good[] = { "refs/heads/main", "refs/heads/a/b", "refs/tags/v1.0",
					    "refs/heads/\xc3\xa9", "refs/heads/a-b" };
	static const char *const bad[] = {
		"refs/heads/",         "refs/heads",     "HEAD",
		"refs/heads/HEAD",     "refs/heads/-d",  "refs/heads/a b",
		"refs/heads/a..b",     "refs/heads/.a",  "refs/heads/a.lock",
		"refs/heads/a.lock/b", "refs/heads/a/",  "refs/heads/a//b",
		"refs/heads/a\nb",     "refs/heads/a~1", "refs/heads/a^",
		"refs/heads/a:b",      "refs/heads/@{x", "refs/heads/a.",
		"refs/heads/a\x7f",    "refs/replace/x", "refs/heads/../../config"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (!git_is_ref(good[i]))
			fail_msg("'%s' is a branch", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (git_is_ref(bad[i]))
			fail_msg("'%s' is no branch", bad[i]);
	assert_true(git_is_id(ONE));
	assert_true(git_is_id(ONE "333333333333333333333333"));
	assert_false(git_is_id(ONE "3"));
	assert_false(git_is_id("A111111111111111111111111111111111111111"));
	assert_false(git_is_id(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_well_formed),
		cmocka_unit_test(test_what_is_left_out),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
