/* SPDX-License-Identifier: Apache-2.0 */
/* What leaves a box is judged by its name and by the place it gets. */
#include "support/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/export_traps.h"

static void by_name_and_place(void **state)
{
	(void)state;
	assert_null(box_export_trap("/nonexistent", "a/report.txt", NULL));
	assert_non_null(box_export_trap("/nonexistent", "a/.vscode/tasks.json", NULL));
	assert_non_null(box_export_trap("/nonexistent/.git/hooks", "pre-commit", NULL));
	assert_non_null(box_export_trap("/nonexistent/.vscode", "tasks.json", NULL));
	assert_non_null(box_export_trap("/nonexistent", "a/HEAD", NULL));
	assert_null(box_export_trap("/nonexistent", "package.json", "{}"));
	assert_non_null(box_export_trap("/nonexistent", "package.json", NULL)); /* it was not read */
	assert_null(box_export_trap_link("/nonexistent/a", "/nonexistent/a", "l", "file"));
	assert_non_null(box_export_trap_link("/nonexistent/a", "/nonexistent/a", "l", "../file"));
	assert_non_null(box_export_trap_link("/nonexistent/a", "/nonexistent/a", "l", ".git/hooks"));
	assert_non_null(box_export_trap_link("/nonexistent/a", "/nonexistent/a", ".envrc", "file"));
}

static void in_a_bare_repository(void **state)
{
	static const char *const parts[] = { "HEAD", "hooks", "objects", "refs" };
	char dir[] = "/tmp/test-leaving-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < 4; i++) {
		assert_null(box_export_trap(dir, "x", NULL)); /* not yet one */
		snprintf(path, sizeof(path), "%s/%s", dir, parts[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path, sizeof(path), "%s/hooks", dir);
	assert_non_null(box_export_trap(path, "update", NULL));
	assert_non_null(box_export_trap(dir, "x", NULL));
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, parts[i]);
		rmdir(path);
	}
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(by_name_and_place),
					    cmocka_unit_test(in_a_bare_repository) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
