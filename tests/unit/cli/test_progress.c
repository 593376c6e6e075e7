/* SPDX-License-Identifier: Apache-2.0 */
/* The board on a terminal of the test's own: drawn in place, nothing above it touched, whatever the window
 * does. */
#include "support/test.h"

#include "cli/progress.h"
#include "cli/text_width.h"
#include "cli/render_common.h"

#define LINES   60
#define COLUMNS 200

/* As much of a terminal as the board uses; anything else fails the test. Cells hold one character each. */
struct screen {
	char cells[LINES][COLUMNS][5];
	int width, height, x, y, scrolled;
	bool wrap;
};

static void blank(struct screen *s, int y, int from)
{
	for (int x = from; x < COLUMNS; x++)
		strcpy(s->cells[y][x], " ");
}

static void screen_init(struct screen *s, int width, int height)
{
	*s = (struct screen){ .width = width, .height = height, .wrap = true };
	for (int y = 0; y < LINES; y++)
		blank(s, y, 0);
}

static void line_feed(struct screen *s)
{
	if (++s->y < s->height)
		return;
	memmove(s->cells[0], s->cells[1], sizeof(s->cells[0]) * (size_t)(s->height - 1));
	blank(s, --s->y, 0);
	s->scrolled++;
}

/* What follows "ESC [": the bytes it took. */
static size_t control(struct screen *s, const char *at)
{
	static const struct {
		const char *text;
		int wrap;
	} modes[] = { { "?7l", 0 }, { "?7h", 1 } };
	char *end;
	long n = strtol(at, &end, 10);

	for (size_t i = 0; i < 2; i++)
		if (!strncmp(at, modes[i].text, 3)) {
			s->wrap = modes[i].wrap;
			return 3;
		}
	if (*end == 'A') {
		assert_true(n > 0);
		s->y = s->y > n ? s->y - (int)n : 0;
	} else if (*end == 'K') {
		assert_int_equal(n, 2);
		blank(s, s->y, 0);
	} else if (*end == 'J') {
		assert_int_equal(n, 0);
		blank(s, s->y, s->x);
		for (int y = s->y + 1; y < s->height; y++)
			blank(s, y, 0);
	} else {
		assert_int_equal(*end, 'm');
	}
	return (size_t)(end - at) + 1;
}

static void put(struct screen *s, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t n = 1;

		if (bytes[i] == '\033') {
			assert_int_equal(bytes[i + 1], '[');
			i += 2 + control(s, bytes + i + 2);
			continue;
		}
		if (bytes[i] == '\r') {
			s->x = 0;
		} else if (bytes[i] == '\n') {
			line_feed(s);
		} else {
			char one[5] = { 0 };

			assert_true((unsigned char)bytes[i] >= ' ');
			while (i + n < len && ((unsigned char)bytes[i + n] & 0xC0) == 0x80)
				n++;
			memcpy(one, bytes + i, n);
			assert_true(s->x + text_width(one) <=
				    s->width); /* the board relies on no terminal to cut */
			strcpy(s->cells[s->y][s->x], one);
			s->x += text_width(one);
		}
		i += n;
	}
}

static const char *line_of(const struct screen *s, int y)
{
	static char text[COLUMNS * 5];
	size_t len = 0;

	text[0] = 0;
	for (int x = 0; x < s->width; x++)
		len += (size_t)sprintf(text + len, "%s", s->cells[y][x]);
	while (len && text[len - 1] == ' ')
		text[--len] = 0;
	return text;
}

static void mark(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", progress_look_of(row)->mark);
}

static void name(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "branch"));
}

static void command(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "command"));
}

static const struct column columns[] = {
	{ .head = " ", .least = 1, .text = mark },
	{ .head = "BRANCH", .least = 6, .shrinks = true, .text = name },
	{ .head = "COMMAND", .least = 7, .goes = 1, .shrinks = true, .text = command },
	{ .head = NULL },
};

static bool hear(struct progress *b, const char *branch, const char *state, double cpu)
{
	json_t *item = json_pack("{s:s, s:s, s:f, s:s}", "branch", branch, "state", state, "cpu_ms", cpu,
				 "command", "sh -c 'a long command \033[2J with bad bytes'");
	bool changed;

	assert_non_null(item);
	changed = progress_take(b, item);
	json_decref(item);
	return changed;
}

static void show(struct progress *b, struct screen *s, bool colour)
{
	struct buf out = { 0 };

	progress_draw(b, s->width, s->height, colour, &out);
	assert_non_null(buf_str(&out));
	put(s, out.data, out.len);
	assert_true(s->wrap && s->x == 0);
	buf_finish(&out);
}

static void it_is_drawn_in_place(void **state)
{
	struct progress b = { .columns = columns };
	struct screen s;

	(void)state;
	screen_init(&s, 60, 12);
	put(&s, "$ aisbx try\r\n", 13);
	assert_true(hear(&b, "one", "waiting", 0));
	assert_true(hear(&b, "two", "waiting", 0));
	for (int i = 0; i < 50; i++)
		show(&b, &s, i % 2);
	assert_true(hear(&b, "two", "running", 1));
	assert_false(hear(&b, "two", "running", 2));
	show(&b, &s, true);
	assert_string_equal(line_of(&s, 0), "$ aisbx try");
	assert_string_equal(line_of(&s, 1), "2 branches: 1 running, 1 waiting");
	assert_string_equal(line_of(&s, 2), "   BRANCH  COMMAND");
	assert_string_equal(line_of(&s, 3), "·  one     sh -c 'a long command ?[2J with bad bytes'");
	assert_string_equal(line_of(&s, 4), "›  two     sh -c 'a long command ?[2J with bad bytes'");
	assert_string_equal(line_of(&s, 5), "");
	assert_int_equal(s.y, 5);
	assert_int_equal(s.scrolled, 0);
	progress_finish(&b);
}

static void it_can_be_taken_off(void **state)
{
	struct progress b = { .columns = columns };
	struct buf out = { 0 };
	struct screen s;

	(void)state;
	screen_init(&s, 60, 12);
	put(&s, "above\r\n", 7);
	hear(&b, "one", "running", 0);
	show(&b, &s, true);
	progress_wipe(&b, s.width, s.height, &out);
	put(&s, out.data, out.len);
	assert_string_equal(line_of(&s, 0), "above");
	for (int y = 1; y < s.height; y++)
		assert_string_equal(line_of(&s, y), "");
	assert_int_equal(s.y, 1);
	buf_finish(&out);
	progress_finish(&b);
}

/* At the bottom of the window it scrolls once, for its own lines. */
static void at_the_bottom_it_makes_room_once(void **state)
{
	struct progress b = { .columns = columns };
	struct screen s;

	(void)state;
	screen_init(&s, 60, 8);
	for (int i = 0; i < 7; i++)
		put(&s, "x\r\n", 3);
	hear(&b, "one", "running", 0);
	for (int i = 0; i < 20; i++)
		show(&b, &s, false);
	assert_int_equal(s.scrolled, 3);
	assert_string_equal(line_of(&s, 3), "x");
	assert_string_equal(line_of(&s, 4), "1 branch: 1 running");
	progress_finish(&b);
}

static void the_busiest_are_shown_in_their_order(void **state)
{
	struct progress b = { .columns = columns };
	struct screen s;
	char who[16];

	(void)state;
	screen_init(&s, 60, 9);
	for (int i = 0; i < 20; i++) {
		snprintf(who, sizeof(who), "b%02d", i);
		hear(&b, who,
		     i < 2     ? "failed"
		     : i < 6   ? "running"
		     : i == 6  ? "passed"
		     : i == 19 ? "testing"
			       : "waiting",
		     i == 3 ? 0 : 5);
	}
	show(&b, &s, true);
	assert_string_equal(line_of(&s, 0), "20 branches: 1 testing, 4 running, 1 passed, 2 failed, 12 w…");
	assert_int_equal(strncmp(line_of(&s, 2), "›  b02", 8), 0);
	assert_int_equal(strncmp(line_of(&s, 3), "›  b03", 8), 0);
	assert_int_equal(strncmp(line_of(&s, 4), "›  b04", 8), 0);
	assert_int_equal(strncmp(line_of(&s, 5), "›  b05", 8), 0);
	assert_int_equal(strncmp(line_of(&s, 6), "»  b19", 7), 0);
	assert_string_equal(line_of(&s, 7), "… 15 more: 1 passed, 2 failed, 12 waiting");
	assert_int_equal(s.y, 8);
	hear(&b, "b02", "stopped", 9);
	show(&b, &s, true);
	assert_int_equal(strncmp(line_of(&s, 5), "✓  b06", 8), 0);
	assert_int_equal(s.scrolled, 0);
	progress_finish(&b);
}

static void windows_of_every_size(void **state)
{
	(void)state;
	for (int width = 5; width < 90; width += 3)
		for (int height = 2; height < 20; height++) {
			struct progress b = { .columns = columns };
			static struct screen s;

			screen_init(&s, width, height);
			for (int i = 0; i < 9; i++) {
				char who[24];

				snprintf(who, sizeof(who), "a-name-of-a-branch-%d", i);
				hear(&b, who, "running", i);
				show(&b, &s, true);
			}
			assert_int_equal(s.scrolled, 0);
			assert_true(s.y < height);
			progress_finish(&b);
		}
}

/* Narrower than what is there: the old lines may have become more, so they stay; wider: drawn in place. */
static void a_window_may_change(void **state)
{
	struct progress b = { .columns = columns };
	struct screen s;

	(void)state;
	screen_init(&s, 40, 20);
	hear(&b, "one", "running", 0);
	show(&b, &s, false);
	s.width = 80;
	show(&b, &s, false);
	assert_string_equal(line_of(&s, 0), "1 branch: 1 running");
	assert_int_equal(s.y, 3);
	s.width = 20;
	show(&b, &s, false);
	assert_int_equal(s.y, 6);
	assert_string_equal(line_of(&s, 3), "1 branch: 1 running");
	show(&b, &s, false);
	assert_int_equal(s.y, 6);
	s.height = 3; /* what the terminal keeps of it is its last lines */
	s.y = 2;
	show(&b, &s, false);
	assert_int_equal(s.y, 1);
	progress_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_drawn_in_place),
		cmocka_unit_test(it_can_be_taken_off),
		cmocka_unit_test(at_the_bottom_it_makes_room_once),
		cmocka_unit_test(the_busiest_are_shown_in_their_order),
		cmocka_unit_test(windows_of_every_size),
		cmocka_unit_test(a_window_may_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
