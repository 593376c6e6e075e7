/* SPDX-License-Identifier: Apache-2.0 */
/* Languages are told by names of files and by first lines, as kernels and editors do. */
#include "support/test.h"

#include "scan/core/scan.h"

static void check(const char *name, const char *text, const char *want)
{
	const char *got = scan_language_guess(name, text, strlen(text));

	if ((got == NULL) != (want == NULL) || (got && strcmp(got, want) != 0))
		fail_msg("%s '%s': %s instead of %s", name ? name : "-", text, got ? got : "none",
			 want ? want : "none");
}

static void by_name(void **state)
{
	(void)state;
	check("a.py", "", "python");
	check("dir.py/a.mjs", "", "javascript");
	check("dir.py/a", "", NULL);
	check("a.ts", "#!/bin/sh\n", "typescript");
	check("x/.bash", "", "shell");
	check("a.c", "", NULL);
	check("", "", NULL);
	check(".", "", NULL);
}

static void by_first_line(void **state)
{
	(void)state;
	check(NULL, "#!/bin/sh", "shell");
	check("run", "#! /usr/bin/env python3\nimport os\n", "python");
	check("run", "#!/usr/bin/python3.11 -u\r\n", "python");
	check("run", "#!/usr/bin/env -S A=b node --x\n", "javascript");
	check("run", "#!/usr/bin/perl\n", NULL);
	check("run", "#!\n#!/bin/sh\n", NULL);
	check("run", "#!", NULL);
	check("run", "#", NULL);
	check("run", "#!/usr/bin/env", NULL);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(scan_language_name("js"), "javascript");
	assert_string_equal(scan_language_name("bash"), "shell");
	assert_null(scan_language_name("cobol"));
	assert_null(scan_language_name(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(by_name), cmocka_unit_test(by_first_line),
					    cmocka_unit_test(names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
