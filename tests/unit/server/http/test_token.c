/* SPDX-License-Identifier: Apache-2.0 */
/* The file of tokens: made once, read again when it changes, and never when others can read it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "server/http/http.h"
#include "server/http/token.h"
#include "support/test.h"

#define ONE "one-token-that-is-long-enough"
#define TWO "two-token-that-is-long-enough"

static char dir[] = "/tmp/test-tokens-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) && setenv("XDG_STATE_HOME", dir, 1) == 0 ? 0 : -1;
}

static int remove_dir(void **state)
{
	static const char *const names[] = {
		"aisbx/serve/tokens", "aisbx/serve", "aisbx", "tokens", "link", "."
	};
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		if (strcmp(names[i], ".") != 0)
			remove(path);
	}
	return rmdir(dir);
}

static const char *file_with(const char *text, mode_t mode)
{
	static char path[128];
	scoped(drop_file) FILE *f = NULL;

	snprintf(path, sizeof(path), "%s/tokens", dir);
	unlink(path);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fchmod(fileno(f), mode), 0);
	return path;
}

static void one_is_made_and_stays(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(drop_mem) char *path = http_token_file(&e), *again = http_token_file(&e);
	scoped(drop_mem) char *text = NULL;
	struct tokens t;
	struct stat st;

	assert_non_null(path);
	assert_string_equal(path, again);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(tokens_open(&t, path, &e), 0);
	assert_int_equal(t.n, 1);
	text = strdup(tokens_text(&t, "default"));
	assert_int_equal(strlen(text), 43);
	assert_string_equal(tokens_find(&t, text)->name, "default");
	for (size_t i = 0; i < 43; i++) { /* each of its letters counts */
		text[i] ^= 1;
		assert_null(tokens_find(&t, text));
		text[i] ^= 1;
	}
	text[42] = '\0';
	assert_null(tokens_find(&t, text));
	assert_null(tokens_find(&t, ""));
	tokens_finish(&t);
	/* And it is another every time. */
	assert_int_equal(unlink(path), 0);
	free(again);
	again = http_token_file(&e);
	assert_int_equal(tokens_open(&t, again, &e), 0);
	assert_string_not_equal(tokens_text(&t, "default"), text);
	tokens_finish(&t);
	(void)state;
}

static void names_and_changes(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct tokens t;

	assert_int_equal(tokens_open(&t, file_with("# people\n\none " ONE "\ntwo\t" TWO "  \r\n", 0600), &e),
			 0);
	assert_string_equal(tokens_find(&t, ONE)->name, "one");
	assert_string_equal(tokens_find(&t, TWO)->name, "two");
	assert_null(tokens_find(&t, ONE "x"));
	file_with("two " TWO "\n", 0600);
	assert_int_equal(tokens_refresh(&t, &e), 0);
	assert_null(tokens_find(&t, ONE));
	assert_string_equal(tokens_find(&t, TWO)->name, "two");
	chmod(t.path, 0640);
	assert_int_equal(tokens_refresh(&t, &e), -EACCES);
	assert_null(tokens_find(&t, TWO));
	chmod(t.path, 0600);
	assert_int_equal(tokens_refresh(&t, &e), 0);
	assert_string_equal(tokens_find(&t, TWO)->name, "two");
	unlink(t.path);
	assert_int_equal(tokens_refresh(&t, &e), -ENOENT);
	assert_null(tokens_find(&t, TWO));
	tokens_finish(&t);
	(void)state;
}

static void rates(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct tokens t;

	assert_int_equal(tokens_open(&t, file_with("one " ONE " 10/s\ntwo\t" TWO "\t600/m \r\n", 0600), &e),
			 0);
	assert_int_equal(tokens_find(&t, ONE)->rate.n, 10);
	assert_int_equal(tokens_find(&t, TWO)->rate.per_ms, 60000);
	tokens_find(&t, TWO)->bucket = (struct bucket){ .have = 5, .at_ms = 7 };
	file_with("# now another\ntwo " TWO " 1/h\n", 0600);
	assert_int_equal(tokens_refresh(&t, &e), 0);
	assert_int_equal(tokens_find(&t, TWO)->rate.per_ms, 3600000);
	assert_int_equal(tokens_find(&t, TWO)->bucket.have, 5); /* a change forgives nothing */
	tokens_finish(&t);
	(void)state;
}

static void what_is_no_such_file(void **state)
{
	static const char *const bad[] = {
		"",
		"# none\n",
		"one short\n",
		"one\n",
		"one " ONE " more\n",
		"one " ONE " 10/d\n",
		"one " ONE " 10/s more\n",
		" " ONE "\n",
		"a-name-of-sixty-four-bytes-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa " ONE "\n"
	};
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct tokens t;
	char link[128];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(tokens_open(&t, file_with(bad[i], 0600), &e), -EINVAL);
	assert_int_equal(tokens_open(&t, file_with("one " ONE "\n", 0604), &e), -EACCES);
	assert_int_equal(tokens_open(&t, "/dev/null", &e), -EINVAL);
	assert_int_equal(tokens_open(&t, dir, &e), -EINVAL);
	snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(symlink(file_with("one " ONE "\n", 0600), link), 0);
	assert_int_equal(tokens_open(&t, link, &e), -ELOOP);
	assert_null(strstr(e.text, ONE));
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_is_made_and_stays),
		cmocka_unit_test(names_and_changes),
		cmocka_unit_test(rates),
		cmocka_unit_test(what_is_no_such_file),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
