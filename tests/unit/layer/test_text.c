/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The talk with aisbx-merge when that dies, lies or is not there. This program plays the helper, too: a copy
 * of it named aisbx-merge, beside another copy that asks it.
 */
#include "support/test.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "layer/text.h"

static char *word(void)
{
	char *s = NULL;
	size_t cap = 0;

	return getdelim(&s, &cap, '\0', stdin) > 0 ? s : NULL;
}

/* What the first path of a request is called tells what to do. */
static int play_helper(void)
{
	for (char *verb; (verb = word()); free(verb)) {
		size_t n = strcmp(verb, "merge") ? 4 : 6;
		char *words[6];

		for (size_t i = 0; i < n; i++)
			words[i] = word();
		if (n == 6 && !strcmp(words[1], "half")) { /* dies with a part of the text written */
			close(creat(words[3], 0600));
			raise(SIGKILL);
		}
		if (!strcmp(words[1], "lie") && printf("9\n"))
			fflush(stdout);
		if (!strcmp(words[1], "leave"))
			return 3;
		if (!strcmp(words[1], "die") && strcmp(verb, "differ") != 0) {
			printf(n == 6 ? "0" : "0 100 1 1\nnot 100"); /* an answer cut short is none */
			fflush(stdout);
			raise(SIGXCPU);
		}
		if (!strcmp(words[1], "die twice"))
			raise(SIGKILL);
		if (!strcmp(words[1], "huge"))
			printf("0 %zu 1 1\n", (size_t)1 << 40);
		else if (!strcmp(words[1], "long"))
			printf("0 1000000 1 1\n%01000000d", 7);
		else if (!strcmp(words[1], "bare"))
			printf("0 2 0 0\nh\n");
		else if (n == 6)
			printf("%d\n", words[1][0] - 'a');
		else
			printf("%d %zu 2 1\n%s %s\n",
			       strcmp(verb, "diff") ? 3
			       : words[1][0] == 'c' ? 2
						    : 0,
			       strlen(verb) + strlen(words[2]) + 2, verb, words[2]);
		fflush(stdout);
		for (size_t i = 0; i < n; i++)
			free(words[i]);
	}
	return 0;
}

static void merges(void **state)
{
	struct text_merge list[] = {
		{ "x", "a", "x", "x" }, { NULL, "b", "x", "x" },   { "x", "die", "x", "x" },
		{ "x", "c", "x", "x" }, { "x", "half", "x", "x" }, { "x", "a", "x", "x", .status = 9 },
	};
	static const int outcome[] = { TEXT_CLEAN,  TEXT_CONFLICT, TEXT_FAILED,
				       TEXT_BINARY, TEXT_FAILED,   TEXT_CLEAN };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	list[4].out = "half.out";
	assert_int_equal(text_merge_all(list, 6, "ours", "theirs", &e), 0);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(list[i].status, outcome[i]);
	assert_int_equal(access("half.out", F_OK), -1);
	assert_int_equal(text_merge_all(NULL, 0, "ours", "theirs", &e), 0);
}

static void patches(void **state)
{
	struct text_pair list[] = {
		{ "x", "a", "one" },    { "x", "die", "two" },   { "x", "die twice", "three" },
		{ "x", "a", "four" },   { "x", "bare", "five" }, { NULL, "c", "six" },
		{ NULL, "c", "seven" },
	};
	static const int outcome[] = { TEXT_CLEAN, TEXT_FAILED, TEXT_FAILED, TEXT_CLEAN,
				       TEXT_CLEAN, TEXT_BINARY, TEXT_BINARY };
	scoped(buf_finish) struct buf b = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(text_patch(list, 7, &b, NULL, &e), 0);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(list[i].status, outcome[i]);
	/* A line about a binary file behind a bare header stands apart; what died leaves nothing of what it
	 * said. */
	assert_string_equal(buf_str(&b), "diff one\ndiffer two\ndiff four\nh\n\ndiff six\ndiff seven\n");
	assert_int_equal(text_patch(list, 7, NULL, NULL, &e), 0);
	assert_int_equal(list[0].added, 2);
	assert_int_equal(list[0].removed, 1);
}

static void long_answers_do_not_hold_up(void **state)
{
	scoped(buf_finish) struct buf b = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct text_pair list[15];

	(void)state;
	for (size_t i = 0; i < 15; i++)
		list[i] = (struct text_pair){ "x", "long", "n" };
	assert_int_equal(text_patch(list, 15, &b, NULL, &e), 0);
	assert_int_equal(b.len, 15 * 1000000);
}

static void nonsense_is_an_error(void **state)
{
	struct text_merge lie = { "x", "lie", "x", "x" }, leave = { "x", "leave", "x", "x" };
	struct text_pair huge = { "x", "huge", "n" }, liar = { "x", "lie", "n" };
	scoped(buf_finish) struct buf b = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_failed(text_merge_all(&lie, 1, "o", "t", &e), EBADMSG, e, "answer");
	assert_failed(text_patch(&liar, 1, &b, NULL, &e), EBADMSG, e, "answer");
	assert_failed(text_patch(&huge, 1, &b, NULL, &e), EFBIG, e, "--stat");
	assert_failed(text_merge_all(&leave, 1, "o", "t", &e), EPROTO, e, "libgit2");
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody left */
	assert_int_equal(unlink("aisbx-merge"), 0);
	assert_failed(text_merge_all(&lie, 1, "o", "t", &e), ENOENT, e, "aisbx-merge");
}

static void copy_here(const char *name)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(), name);
	if (system(command) != 0)
		exit(99);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges), cmocka_unit_test(patches),
		cmocka_unit_test(long_answers_do_not_hold_up),
		cmocka_unit_test(nonsense_is_an_error), /* last: it removes the helper */
	};
	char dir[] = "/tmp/test-text.XXXXXX";
	int status;
	pid_t pid;

	if (!strcmp(argv[0], "aisbx-merge"))
		return play_helper();
	if (argc > 1)
		return cmocka_run_group_tests(tests, NULL, NULL);
	if (!mkdtemp(dir) || chdir(dir) < 0)
		return 99;
	copy_here("aisbx-merge");
	copy_here("asker");
	pid = fork();
	if (pid == 0) {
		execl("./asker", "asker", "inside", NULL);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	unlink("aisbx-merge");
	unlink("asker");
	rmdir(dir);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
