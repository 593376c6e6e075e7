/* SPDX-License-Identifier: Apache-2.0 */
/* What git takes for its own, on any file system, and what it does not. */
#include "support/test.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/scope.h"
#include "layer/gitdir.h"
#include "layer/layer.h"

static void test_names(void **state)
{
	static const char *const own[] = { ".git",
					   ".GIT",
					   ".Git",
					   "git~1",
					   "GIT~1",
					   ".git ",
					   ".git.",
					   ".git. . ",
					   ".git::$INDEX_ALLOCATION",
					   ".g\xe2\x80\x8cit",
					   "\xef\xbb\xbf.git",
					   ".git\xe2\x80\xae" };
	static const char *const others[] = { "git",   ".gi",     ".gitt",     ".gitignore", ".github",
					      "git~2", "git~10",  "x.git",     ".git-x",     "",
					      ".",     "\x0egit", ".\x47\x09t" };

	(void)state;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!gitdir_is_name(own[i]))
			fail_msg("'%s' is git's own", own[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (gitdir_is_name(others[i]))
			fail_msg("'%s' is not git's own", others[i]);
	assert_true(gitdir_has_name("a/.git"));
	assert_true(gitdir_has_name(".GIT/b"));
	assert_true(gitdir_has_name("a/.git./b/c"));
	assert_false(gitdir_has_name("a/.gitx/b"));
	assert_false(gitdir_has_name("a/git/.b"));
}

/* A new directory "tree" with FILES: those that end with a slash are directories,
 * "name->target" are links. */
static struct open_view open_tree(const char *const *files, struct view *view, char dir[32])
{
	struct open_view open_view = OPEN_VIEW_INIT;
	struct aisbx_error e = AISBX_ERROR_INIT;

	memcpy(dir, "/var/tmp/test-gitdir-XXXXXX", 28);
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	for (; *files; files++) {
		const char *arrow = strstr(*files, "->");
		scoped(drop_mem) char *name =
			strndup(*files, arrow ? (size_t)(arrow - *files) : strlen(*files));

		if (arrow)
			assert_int_equal(symlink(arrow + 2, name), 0);
		else if (name[strlen(name) - 1] == '/')
			assert_int_equal(mkdir(name, 0755), 0);
		else
			close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	}
	*view = (struct view){ .host = dir };
	assert_int_equal(view_open(view, &open_view, &e), 0);
	return open_view;
}

static int look(const char *const *files, int (*ask)(struct open_view *open_view))
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct view view;
	char dir[32];
	scoped(view_close) struct open_view open_view = open_tree(files, &view, dir);
	int r = ask(&open_view);

	assert_int_equal(layer_remove("/var/tmp", dir + strlen("/var/tmp/"), &e), 0);
	return r;
}

static int is_laid_out(struct open_view *open_view)
{
	return gitdir_is_laid_out(open_view, view_top(open_view), NULL, (struct ref){ 0 }, "");
}

static int is_within(struct open_view *open_view)
{
	return gitdir_is_within(open_view, view_top(open_view), "");
}

static void test_layouts(void **state)
{
	(void)state;
	assert_int_equal(look((const char *const[]){ "HEAD", "objects/", "refs/", NULL }, is_laid_out), 1);
	assert_int_equal(look((const char *const[]){ "HEAD->refs/heads/none", "objects/", "refs/", NULL },
			      is_laid_out),
			 1);
	assert_int_equal(look((const char *const[]){ "HEAD", "commondir", NULL }, is_laid_out), 1);
	assert_int_equal(look((const char *const[]){ "HEAD", "objects->/elsewhere", "refs->/elsewhere",
						     NULL },
			      is_laid_out),
			 1);
	assert_int_equal(look((const char *const[]){ "HEAD", "objects/", NULL }, is_laid_out), 0);
	assert_int_equal(look((const char *const[]){ "objects/", "refs/", "config", NULL }, is_laid_out), 0);
	assert_int_equal(look((const char *const[]){ NULL }, is_laid_out), 0);
}

static void test_within(void **state)
{
	(void)state;
	assert_int_equal(look((const char *const[]){ "a/", "a/b/", "a/b/.git/", NULL }, is_within), 1);
	assert_int_equal(look((const char *const[]){ "a/", "a/HEAD", "a/objects/", "a/refs/", NULL },
			      is_within),
			 1);
	/* A file that only says where the repository is can be lost. */
	assert_int_equal(look((const char *const[]){ "a/", "a/.git", "a/f", NULL }, is_within), 0);
	assert_int_equal(look((const char *const[]){ "a/", "a/link->/", "f", NULL }, is_within), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_within),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
