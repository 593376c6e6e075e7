/* SPDX-License-Identifier: Apache-2.0 */
/* "promoting  [#########----------]  45%  45,120 of 100,000  12,300/s  4 s left" */
#include "cli/bar.h"

#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "base/str.h"
#include "base/time.h"
#include "cli/text_width.h"
#include "cli/window.h"

/* Work that is shorter needs no bar. */
#define FIRST_MS  500
#define BAR_LEAST 10
#define BAR_MOST  30

static bool shown;

/* 1234567 as "1,234,567" */
static const char *grouped(uint64_t n, char *buf, size_t cap)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	size_t at = 0;

	for (int i = 0; i < len && at + 2 < cap; i++) {
		if (i && (len - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

/* What comes behind the bar, as far as there is room: the least important last. */
static void add_parts(const struct meter *m, uint64_t ms, int width, struct buf *ret)
{
	char parts[5][80] = { "" }, done[32], total[32], size[32], left[32];
	uint64_t rate = ms ? m->done * 1000 / ms : 0;
	bool known = m->total >= m->done && m->total;

	if (known) {
		snprintf(parts[0], sizeof(parts[0]), "%3llu%%",
			 (unsigned long long)(m->done * 100 / m->total));
		if (m->done && m->done < m->total)
			snprintf(parts[1], sizeof(parts[1]), "%s left",
				 str_ms((ms * (m->total - m->done) / m->done + 999) / 1000 * 1000, left,
					sizeof(left)));
		snprintf(parts[2], sizeof(parts[2]), "%s of %s", grouped(m->done, done, sizeof(done)),
			 grouped(m->total, total, sizeof(total)));
	} else {
		snprintf(parts[2], sizeof(parts[2]), "%s", grouped(m->done, done, sizeof(done)));
	}
	snprintf(parts[3], sizeof(parts[3]), "%s/s", grouped(rate, done, sizeof(done)));
	if (m->bytes)
		str_size(m->bytes, size, sizeof(size));
	snprintf(parts[4], sizeof(parts[4]), "%s", m->bytes ? size : "");
	for (size_t i = 0; i < 5; i++) {
		int n = text_width(parts[i]);

		if (!n || n + 2 > width)
			continue;
		buf_addf(ret, "  %s", parts[i]);
		width -= n + 2;
	}
}

void bar_line(const struct meter *m, uint64_t now_ms, int width, struct buf *ret)
{
	scoped(buf_finish) struct buf behind = { 0 };
	int room, filled;

	width = width > 1 ? width - 1 : 1; /* the last column makes some terminals begin a line */
	text_width_add(ret, m->what, width, false, false);
	room = width - text_width(m->what);
	add_parts(m, now_ms - m->began_ms, room, &behind);
	if (!buf_str(&behind))
		return;
	room -= text_width(behind.data) + 4;
	if (m->total >= m->done && m->total && room >= BAR_LEAST) {
		room = room < BAR_MOST ? room : BAR_MOST;
		filled = (int)((uint64_t)room * m->done / m->total);
		buf_addf(ret, "  [");
		for (int i = 0; i < room; i++)
			buf_addf(ret, "%s", i < filled ? "#" : "-");
		buf_addf(ret, "]");
	}
	buf_add(ret, behind.data, behind.len);
}

void bar_clear(void)
{
	if (!shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	shown = false;
}

static void heard(const struct meter *m)
{
	scoped(buf_finish) struct buf line = { 0 };
	uint64_t now = time_ms();
	int width, height;

	if (!m->what) {
		bar_clear();
		return;
	}
	if (now - m->began_ms < FIRST_MS || !window_of(stderr, &width, &height))
		return;
	bar_line(m, now, width, &line);
	if (!buf_str(&line))
		return;
	fprintf(stderr, "\r\033[K%s", line.data);
	fflush(stderr);
	shown = true;
}

void bar_listen(void)
{
	int width, height;

	if (window_of(stderr, &width, &height))
		meter_listen(heard);
}
