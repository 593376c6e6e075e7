/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live progress table. It is drawn upwards from the cursor, which stays on the line below it: earlier
 * output stays on the screen, and so does the last drawing if the program dies.
 */
#include "cli/progress.h"

#include <string.h>

#include "base/scope.h"
#include "cli/text_width.h"
#include "cli/render_common.h"

/* No wrapping while lines are drawn: a terminal that counts a letter's columns differently must not add a
 * line. */
#define NO_WRAP     "\033[?7l"
#define WRAP        "\033[?7h"
#define ERASE_LINE  "\033[2K"
#define ERASE_BELOW "\033[J"

const struct progress_look progress_looks[] = {
	{ "winner", "✓", BOLD GREEN, 6 }, { "testing", "»", YELLOW, 5 }, { "running", "›", "", 4 },
	{ "passed", "✓", GREEN, 3 },      { "flaky", "~", YELLOW, 2 },   { "failed", "✗", RED, 2 },
	{ "waiting", "·", DIM, 1 },       { "stopped", "-", DIM, 0 },    { NULL, "?", YELLOW, 2 },
};

const struct progress_look *progress_look_of(const json_t *row)
{
	const struct progress_look *l = progress_looks;

	while (l->state && strcmp(l->state, text_of(row, "state")) != 0)
		l++;
	return l;
}

bool progress_take(struct progress *b, const json_t *item)
{
	const json_t *row;
	json_t *copy = json_copy((json_t *)item);
	bool changed;
	size_t i;

	if (!b->rows)
		b->rows = json_array();
	json_array_foreach(b->rows, i, row)
	{
		if (strcmp(text_of(row, "branch"), text_of(item, "branch")) != 0)
			continue;
		changed = strcmp(text_of(row, "state"), text_of(item, "state")) != 0;
		json_array_set_new(b->rows, i, copy);
		return changed;
	}
	json_array_append_new(b->rows, copy);
	return true;
}

/* Whether A is to be seen rather than B. */
static bool is_busier(const json_t *a, const json_t *b)
{
	int by_state = progress_look_of(a)->busy - progress_look_of(b)->busy;
	double cpu = json_number_value(json_object_get(a, "cpu_ms")) -
		     json_number_value(json_object_get(b, "cpu_ms"));

	return by_state ? by_state > 0 : cpu > 0;
}

/* The ROOM busiest of ROWS, in the order of ROWS; a new reference. */
static json_t *choose(const json_t *rows, size_t room)
{
	json_t *chosen = json_array();
	const json_t *row, *other;
	size_t i, j;

	json_array_foreach(rows, i, row)
	{
		size_t before = 0;

		json_array_foreach(rows, j, other) before +=
			is_busier(other, row) || (j < i && !is_busier(row, other));
		if (before < room)
			json_array_append(chosen, (json_t *)row);
	}
	return chosen;
}

/* "5 branches: 1 passed, 2 running, 2 waiting" */
static void sum_up(const json_t *rows, const char *before, char *text, size_t cap)
{
	const char *between = before;
	size_t i, len = strlen(text);
	const json_t *row;

	for (const struct progress_look *l = progress_looks; l->state; l++) {
		int n = 0;

		json_array_foreach(rows, i, row) n += progress_look_of(row) == l;
		if (!n || len >= cap)
			continue;
		len += (size_t)snprintf(text + len, cap - len, "%s%d %s", between, n, l->state);
		between = ", ";
	}
}

/*
 * Lines of it that can be drawn over. In a window that became too narrow nobody knows how many the old
 * drawing takes: it stays, and the next one is below.
 */
static int above(const struct progress *b, int width, int height)
{
	return b->wide > width ? 0 : b->lines < height ? b->lines : height - 1;
}

static void go_up(int lines, struct buf *out)
{
	buf_add(out, "\r", 1);
	if (lines > 0)
		buf_addf(out, "\033[%dA", lines);
}

static void end_line(struct progress *b, int width, struct buf *out)
{
	buf_addf(out, "\r\n");
	b->lines++;
	b->wide = width > b->wide ? width : b->wide;
}

static void draw_rows(struct progress *b, const json_t *shown, int width, bool colour, struct buf *out)
{
	struct column_table g;
	const json_t *row;
	size_t i;

	/* By all rows, so that nothing jumps when others are shown. */
	columns_lay(&g, b->columns, b->rows, width, colour);
	buf_addf(out, ERASE_LINE "%s", colour ? DIM : "");
	columns_head(&g, out);
	buf_addf(out, "%s", colour ? PLAIN : "");
	end_line(b, columns_width(&g), out);
	json_array_foreach(shown, i, row)
	{
		buf_addf(out, ERASE_LINE);
		columns_row(&g, row, out);
		end_line(b, columns_width(&g), out);
	}
}

static void draw_text(struct progress *b, const char *text, int width, const char *colour, struct buf *out)
{
	buf_addf(out, ERASE_LINE "%s", colour);
	text_width_add(out, text, width, false, false);
	buf_addf(out, "%s", *colour ? PLAIN : "");
	end_line(b, text_width(text) < width ? text_width(text) : width, out);
}

void progress_draw(struct progress *b, int width, int height, bool colour, struct buf *out)
{
	size_t n = json_array_size(b->rows),
	       room = height > 4 ? (size_t)height - 3 : 0; /* sum, heads, cursor */
	json_t *shown, *hidden = json_array();
	char text[256];
	size_t i;
	json_t *row;

	if (room && n > room)
		room--; /* for the line about the others */
	shown = choose(b->rows, room);
	json_array_foreach(b->rows, i, row)
	{
		size_t at = json_array_size(hidden);

		if (i - at >= json_array_size(shown) || json_array_get(shown, i - at) != row)
			json_array_append(hidden, row);
	}
	width = width > 4 ? width : 4;
	buf_addf(out, NO_WRAP);
	go_up(above(b, width, height), out);
	b->lines = b->wide = 0;
	snprintf(text, sizeof(text), "%zu branch%s", n, n == 1 ? "" : "es");
	sum_up(b->rows, ": ", text, sizeof(text));
	draw_text(b, text, width, colour ? BOLD : "", out);
	if (room)
		draw_rows(b, shown, width, colour, out);
	if (room && json_array_size(hidden)) {
		snprintf(text, sizeof(text), "… %zu more", json_array_size(hidden));
		sum_up(hidden, ": ", text, sizeof(text));
		draw_text(b, text, width, colour ? DIM : "", out);
	}
	buf_addf(out, ERASE_BELOW WRAP);
	json_decref(shown);
	json_decref(hidden);
}

void progress_wipe(struct progress *b, int width, int height, struct buf *out)
{
	int lines = above(b, width, height);

	/* Line by line: some terminals keep what is erased from the first line on as a page of
	 * their history. */
	go_up(lines, out);
	for (int i = 0; i < lines; i++)
		buf_addf(out, ERASE_LINE "\r\n");
	go_up(lines, out);
	b->lines = b->wide = 0;
}

void progress_finish(struct progress *b)
{
	json_decref(b->rows);
	*b = (struct progress){ 0 };
}
