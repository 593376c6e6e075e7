/* SPDX-License-Identifier: Apache-2.0 */
/* Values that a program told, in the file that it could have written itself. */
#include "box/code_boot.h"
#include "base/scope.h"
#include "support/test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void reads(const char *text, const char *want)
{
	json_t *got = code_results_read(text, strlen(text)), *as = want ? json_loads(want, 0, NULL) : NULL;

	if (want ? !json_equal(got, as) : got != NULL)
		fail_msg("of %s", text);
	json_decref(got);
	json_decref(as);
}

static void known_kinds_of_known_types(void **state)
{
	(void)state;
	reads("{\"results\":[{\"text\":\"42\",\"is_main_result\":true}],\"more\":1}",
	      "[{\"text\":\"42\",\"is_main_result\":true}]");
	reads("{\"results\":[{\"text\":1,\"html\":[],\"json\":\"x\",\"other\":\"y\",\"is_main_result\":1},7]"
	      "}",
	      "[{\"is_main_result\":false}]");
	reads("{\"results\":[{\"json\":{\"a\":[1]},\"png\":\"AA==\"}]}",
	      "[{\"json\":{\"a\":[1]},\"png\":\"AA==\",\"is_main_result\":false}]");
	reads("{\"results\":{}}", NULL);
	reads("{\"results\":[", NULL);
	reads("[]", NULL);
	reads("", NULL);
}

static void so_many_and_no_more(void **state)
{
	scoped(buf_finish) struct buf text = { 0 };
	json_t *got;

	(void)state;
	buf_addf(&text, "{\"results\":[");
	for (int i = 0; i < 100; i++)
		buf_addf(&text, "%s{\"text\":\"%d\"}", i ? "," : "", i);
	buf_addf(&text, "]}");
	got = code_results_read(text.data, text.len);
	assert_int_equal(json_array_size(got), 64);
	json_decref(got);
}

/* A program can leave anything in the place of the file: nothing is followed or waited for. */
static void only_a_file(void **state)
{
	static const char said[] = ".aisbx-said", text[] = "{\"results\":[{\"text\":\"1\"}]}";
	char dir[] = "/tmp/test-results-XXXXXX";
	json_t *got;
	int at, fd;

	(void)state;
	at = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	assert_true(at >= 0);
	assert_null(code_boot_results(at));
	assert_int_equal(mkfifoat(at, said, 0600), 0);
	assert_null(code_boot_results(at));
	assert_int_equal(unlinkat(at, said, 0), 0);
	fd = openat(at, "other", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(symlinkat("other", at, said), 0);
	assert_null(code_boot_results(at));
	assert_int_equal(renameat(at, "other", at, said), 0);
	got = code_boot_results(at);
	assert_int_equal(json_array_size(got), 1);
	json_decref(got);
	assert_int_equal(unlinkat(at, said, 0), 0);
	close(at);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_kinds_of_known_types),
		cmocka_unit_test(so_many_and_no_more),
		cmocka_unit_test(only_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
