/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on a terminal of 40 columns: where they end, and where they go on. */
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/fold.h"

struct screen {
	int master, slave;
	FILE *out;
};

static struct screen screen_open(unsigned short columns)
{
	struct winsize size = { .ws_col = columns, .ws_row = 24 };
	struct termios raw;
	struct screen s;

	setenv("TERM", "xterm", 1);
	assert_int_equal(openpty(&s.master, &s.slave, NULL, NULL, &size), 0);
	tcgetattr(s.slave, &raw);
	cfmakeraw(&raw);
	tcsetattr(s.slave, TCSANOW, &raw);
	s.out = fold_open(s.slave);
	return s;
}

static void expect(struct screen *s, const char *text)
{
	char got[4096] = "";
	size_t n = 0;

	fclose(s->out);
	assert_int_equal(write(s->slave, "\f", 1), 1);
	while (n == 0 || got[n - 1] != '\f') { /* the end of what was written */
		ssize_t r = read(s->master, got + n, sizeof(got) - 1 - n);

		assert_true(r > 0);
		n += (size_t)r;
	}
	got[n - 1] = '\0';
	assert_string_equal(got, text);
	close(s->master);
	close(s->slave);
}

static void test_messages(void **state)
{
	struct screen s = screen_open(40);

	(void)state;
	fprintf(s.out, "aisbx: ");
	fprintf(s.out, "%s", "this is a sen");
	fprintf(s.out, "tence that is longer than a line\nshort\n");
	expect(&s, "aisbx: this is a sentence that is longer\n       than a line\nshort\n");
}

static void test_colours_take_no_width(void **state)
{
	struct screen s = screen_open(40);

	(void)state;
	fprintf(s.out, "\033[31maisbx:\033[0m this is a sentence that is longer than a line\n");
	expect(&s, "\033[31maisbx:\033[0m this is a sentence that is longer\n       than a line\n");
}

static void test_tables(void **state)
{
	struct screen s = screen_open(40);

	(void)state;
	fprintf(s.out, "  run     Run a command in a clone of it all\n");
	expect(&s, "  run     Run a command in a clone of it\n          all\n");
}

static void test_long_words_and_drawings_stay(void **state)
{
	struct screen s = screen_open(40);
	const char *word = "/a/path/that/is/longer/than/the/whole/line/is";

	(void)state;
	fprintf(s.out, "%s\n\r\033[Kdrawn over and over and over and over and over\n", word);
	expect(&s, "/a/path/that/is/longer/than/the/whole/line/is\n"
		   "\r\033[Kdrawn over and over and over and over and over\n");
}

static void test_a_question_is_seen(void **state)
{
	struct screen s = screen_open(40);
	char got[64] = "";

	(void)state;
	fprintf(s.out, "Remove 2 boxes [y/N]? ");
	assert_true(read(s.master, got, sizeof(got) - 1) > 0);
	assert_string_equal(got, "Remove 2 boxes [y/N]? ");
	expect(&s, "");
}

static void test_only_terminals(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_null(fold_open(ends[1]));
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_colours_take_no_width),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_long_words_and_drawings_stay),
		cmocka_unit_test(test_a_question_is_seen),
		cmocka_unit_test(test_only_terminals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
