/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that share the width of a window. */
#include "cli/columns.h"

#include <string.h>

#include "base/str.h"
#include "cli/text_width.h"
#include "cli/render_common.h"

#define GAP 2
/* Longer texts are cut before they are measured: what a box wrote may be of any length. */
#define MAX_TEXT 4096

/* What is missing is "-". */
static void raw_cell(const struct column *c, const json_t *row, char *text, size_t cap)
{
	const json_t *value = json_object_get(row, c->key);

	if (c->text) {
		c->text(row, text, cap);
		return;
	}
	if (c->as == COLUMN_TEXT)
		snprintf(text, cap, "%s", *text_of(row, c->key) || c->optional ? text_of(row, c->key) : "-");
	else if (!json_is_number(value))
		snprintf(text, cap, "%s", c->optional ? "" : "-");
	else if (c->as == COLUMN_SIZE)
		str_size((uint64_t)json_number_value(value), text, cap);
	else if (c->as == COLUMN_MS)
		str_ms((uint64_t)json_number_value(value), text, cap);
	else if (c->as == COLUMN_AGE)
		age_text(json_integer_value(value), text, cap);
	else
		snprintf(text, cap, "%lld", (long long)json_number_value(value));
}

int columns_width(const struct column_table *g)
{
	int sum = -GAP;

	for (size_t i = 0; g->columns[i].head; i++)
		sum += g->width[i] ? g->width[i] + GAP : 0;
	return sum;
}

/* How wide each column would like to be. */
/* As it is shown: a name is as hostile as its owner. */
static void cell(const struct column *c, const json_t *row, char *text, size_t cap)
{
	char raw[MAX_TEXT];

	raw_cell(c, row, raw, sizeof(raw));
	text_as_name(raw, text, cap);
}

static void measure(const struct column_table *g, const json_t *rows, int ret_width[COLUMNS_MAX])
{
	char text[MAX_TEXT];
	const json_t *row;
	size_t r;

	for (size_t i = 0; g->columns[i].head; i++) {
		const struct column *c = &g->columns[i];
		int most = 0, head = text_width(c->head);

		json_array_foreach(rows, r, row)
		{
			int width;

			cell(c, row, text, sizeof(text));
			width = text_width(text);
			most = width > most ? width : most;
		}
		if (c->optional && !most) {
			ret_width[i] = 0;
			continue;
		}
		most = most > head ? most : head;
		ret_width[i] = most > c->least ? most : c->least ? c->least : 1;
	}
}

/* Takes from what shrinks, the last first; whether it fits then. */
static bool shrink(struct column_table *g, size_t n, int width)
{
	for (size_t i = n; i-- > 0 && columns_width(g) > width;) {
		int over = columns_width(g) - width, spare = g->width[i] - g->columns[i].least;

		if (g->width[i] && g->columns[i].shrinks && spare > 0)
			g->width[i] -= spare < over ? spare : over;
	}
	return columns_width(g) <= width;
}

/* The one of N columns that goes first when there is no room; N: none can. */
static size_t first_to_go(const struct column *columns, size_t n, const int *wanted)
{
	size_t last = n;

	for (size_t i = 0; i < n; i++)
		if (wanted[i] && columns[i].goes && (last == n || columns[i].goes > columns[last].goes))
			last = i;
	return last;
}

void columns_lay(struct column_table *g, const struct column *columns, const json_t *rows, int width,
		 bool colour)
{
	int wanted[COLUMNS_MAX] = { 0 };
	size_t n = 0, last;

	*g = (struct column_table){ .columns = columns, .colour = colour };
	while (columns[n].head)
		n++;
	measure(g, rows, wanted);
	memcpy(g->width, wanted, sizeof(wanted));
	while (width && !shrink(g, n, width)) {
		last = first_to_go(columns, n, wanted);
		if (last == n)
			break;
		wanted[last] = 0;
		memcpy(g->width, wanted, sizeof(wanted)); /* what shrank has its room back */
	}
	for (size_t i = n;
	     width && i-- > 0 && columns_width(g) > width;) { /* very narrow: what is left is cut */
		int left = g->width[i] - (columns_width(g) - width);

		if (columns[i].shrinks && g->width[i])
			g->width[i] = left > 1 ? left : 1;
	}
}

static bool is_last(const struct column_table *g, size_t at)
{
	while (g->columns[++at].head)
		if (g->width[at])
			return false;
	return true;
}

static void add(const struct column_table *g, size_t at, const char *text, const char *colour,
		struct buf *out)
{
	const struct column *c = &g->columns[at];

	if (g->colour && *colour)
		buf_addf(out, "%s", colour);
	text_width_add(out, text, g->width[at], c->right || !is_last(g, at), c->right);
	if (g->colour && *colour)
		buf_addf(out, "%s", PLAIN);
	if (!is_last(g, at))
		buf_addf(out, "%*s", GAP, "");
}

void columns_head(const struct column_table *g, struct buf *out)
{
	for (size_t i = 0; g->columns[i].head; i++)
		if (g->width[i])
			add(g, i, g->columns[i].head, "", out);
}

void columns_row(const struct column_table *g, const json_t *row, struct buf *out)
{
	char text[MAX_TEXT];

	for (size_t i = 0; g->columns[i].head; i++) {
		const struct column *c = &g->columns[i];

		if (!g->width[i])
			continue;
		cell(c, row, text, sizeof(text));
		add(g, i, text, c->colour ? c->colour(row) : "", out);
	}
	while (out->len && out->data[out->len - 1] == ' ') /* its last cells are empty */
		out->len--;
}
