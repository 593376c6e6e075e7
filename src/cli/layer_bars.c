/* SPDX-License-Identifier: Apache-2.0 */
/* "3f2a9c81d0e2  download  [#######-------]   45%  12.3 MiB of 27.1 MiB", one line for each layer. */
#include "cli/layer_bars.h"

#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "base/str.h"
#include "base/time.h"
#include "cli/render_common.h"
#include "cli/text_width.h"
#include "cli/window.h"

#define DRAW_MS   100
#define BAR_LEAST 10
#define BAR_MOST  30
#define SHORT     12 /* digits of a digest */
#define NO_WRAP   "\033[?7l"
#define WRAP      "\033[?7h"
#define TO_END    "\033[J"

/* One process has one screen. */
static struct {
	json_t *rows; /* owned; of each layer the last report */
	int lines;    /* on the screen, above the cursor */
	uint64_t drawn_ms;
} board;

static const char *short_digest(const char *digest, char *ret, size_t cap)
{
	const char *colon = strchr(digest, ':');

	snprintf(ret, cap, "%.*s", SHORT, colon ? colon + 1 : digest);
	return ret;
}

void layer_bars_line(const json_t *progress, int width, struct buf *ret)
{
	uint64_t done = (uint64_t)number_of(progress, "done"), total = (uint64_t)number_of(progress, "total");
	char name[32], have[32], all[32], head[64], tail[96];
	int room;

	snprintf(head, sizeof(head), "%-*s  %-8.16s", SHORT,
		 short_digest(text_of(progress, "layer"), name, sizeof(name)), text_of(progress, "what"));
	str_size(done, have, sizeof(have));
	if (total >= done && total)
		snprintf(tail, sizeof(tail), "  %3llu%%  %s of %s",
			 (unsigned long long)(done / (total / 100 + 1)), have,
			 str_size(total, all, sizeof(all)));
	else
		snprintf(tail, sizeof(tail), "  %s", have);
	if (total && done == total)
		snprintf(tail, sizeof(tail), "  100%%  %s", have);
	room = width - text_width(head) - text_width(tail) - 4;
	text_width_add(ret, head, width, false, false);
	if (total >= done && total && room >= BAR_LEAST) {
		int wide = room < BAR_MOST ? room : BAR_MOST;
		int filled = (int)((double)wide * (double)done / (double)total);

		buf_addf(ret, "  [");
		for (int i = 0; i < wide; i++)
			buf_addf(ret, "%s", i < filled ? "#" : "-");
		buf_addf(ret, "]");
	}
	if (width - text_width(head) > 0)
		text_width_add(ret, tail, width - text_width(head), false, false);
}

static bool is_done(const json_t *row)
{
	return number_of(row, "total") && number_of(row, "done") >= number_of(row, "total");
}

/* Replaces what was known of its layer. Returns whether it is news: a new layer, or one that is done. */
static bool note(const json_t *progress)
{
	const json_t *row;
	size_t i;

	if (!board.rows)
		board.rows = json_array();
	json_array_foreach(board.rows, i, row) if (!strcmp(text_of(row, "layer"), text_of(progress, "layer")))
	{
		json_array_set_new(board.rows, i, json_copy((json_t *)progress));
		return is_done(progress);
	}
	json_array_append_new(board.rows, json_copy((json_t *)progress));
	return true;
}

static void go_up(struct buf *out)
{
	buf_addf(out, "\r");
	if (board.lines > 0)
		buf_addf(out, "\033[%dA", board.lines);
	buf_addf(out, TO_END);
	board.lines = 0;
}

static void draw(int width, int height)
{
	scoped(buf_finish) struct buf out = { 0 };
	size_t i, done = 0, n = json_array_size(board.rows);
	const json_t *row;

	buf_addf(&out, NO_WRAP);
	go_up(&out);
	json_array_foreach(board.rows, i, row)
	{
		done += is_done(row);
		if (is_done(row) || board.lines >= height - 2)
			continue;
		layer_bars_line(row, width - 1, &out);
		buf_addf(&out, "\r\n");
		board.lines++;
	}
	if (n > 1 && height > 2) {
		buf_addf(&out, "%zu of %zu parts\r\n", done, n);
		board.lines++;
	}
	buf_addf(&out, WRAP);
	if (buf_str(&out))
		fputs(out.data, stderr);
	fflush(stderr);
}

void layer_bars_take(const json_t *progress)
{
	uint64_t now = time_ms();
	int width, height;
	bool news;

	if (!window_of(stderr, &width, &height))
		return;
	news = note(progress);
	if (!news && now - board.drawn_ms < DRAW_MS)
		return;
	board.drawn_ms = now;
	draw(width, height);
}

void layer_bars_clear(void)
{
	scoped(buf_finish) struct buf out = { 0 };

	if (board.lines) {
		go_up(&out);
		if (buf_str(&out))
			fputs(out.data, stderr);
		fflush(stderr);
	}
	json_decref(board.rows);
	board.rows = NULL;
}
