/* SPDX-License-Identifier: Apache-2.0 */
/* Why a command could not be executed: what was meant for a shell is told how to give it to one. */
#include "support/test.h"

#include "base/scope.h"
#include "box/exec_error.h"

/* WORDS are separated by '\1'. */
static void is(const char *words, int status, bool person, const char *want)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", NULL };
	struct run_spec spec = { .command.env = env, .command.cwd = "/p" };
	char copy[600], *word, *rest = copy;
	scoped(drop_mem) char *got = NULL;

	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strsep(&rest, "\1")))
		strlist_add(&spec.command.argv, word);
	got = box_exec_error(&spec, status, person);
	if (!got || !strstr(got, want))
		fail_msg("'%s' is not in '%s'", want, got ? got : "nothing");
	strlist_finish(&spec.command.argv);
}

static void shells(void **state)
{
	(void)state;
	is("ls | head", ENOENT, true, ": aisbx run -- sh -c 'ls | head'");
	is("ls | head", ENOENT, false, ": sh -c 'ls | head'");
	is("npm test", ENOENT, true, ": aisbx run -- npm test");
	is("cd\1src", ENOENT, true, "-C DIR; or: aisbx run -- sh -c 'cd src && COMMAND'");
	is("source\1a b", ENOENT, true, "sh -c '. '\\''a b'\\'' && COMMAND'");
	is("export\1A=b", ENOENT, true, "--env NAME=VALUE");
	is("ll", ENOENT, true, "aisbx run -- ls -la");
	is("A=b\1make\1-j", ENOENT, true, "aisbx run --env A=b -- make -j");
	is("A=b", ENOENT, true, "aisbx run --env A=b -- COMMAND");
}

static void programs(void **state)
{
	(void)state;
	is("no-such", ENOENT, true, "no directory on PATH has a program of that name");
	is("sh", ENOENT, true, "which the box does not show; --ro '/usr/bin/sh' shows it");
	is("sh", ENOENT, false, "no directory on PATH");
	is("ubuntu:24.04\1bash", ENOENT, true, ": aisbx run --image ubuntu:24.04 -- bash");
	is("./a", ENOENT, true, "the command starts in '/p'");
	is("./a.py", EACCES, true, "aisbx run -- python3 ./a.py");
	is("/usr", EACCES, true, "it is a directory");
	is("./a", ENOEXEC, true, "aisbx run -- sh ./a");
	is("echo", E2BIG, true, "too long together");
	is("x", EIO, true, "execute 'x': Input/output error");
	is("x", -ENOENT, true, "enter '/p': No such file or directory");
}

/* Long and odd words change nothing about what is said of them. */
static void long_words(void **state)
{
	char word[500];

	(void)state;
	memset(word, '\'', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	is(word, ENOENT, true, "sh -c");
	memset(word, 'a', sizeof(word) - 1);
	is(word, ENOENT, true, "no directory on PATH");
	word[0] = '|';
	is(word, ENOENT, true, "sh -c");
	memcpy(word, "cd\1", 3);
	is(word, ENOENT, true, "sh -c");
	memcpy(word, "A=b\1", 4);
	is(word, ENOENT, true, "--env A=b");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(shells), cmocka_unit_test(programs),
					    cmocka_unit_test(long_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
