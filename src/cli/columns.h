/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table that fits the window: columns shrink, then are dropped, the least important first. Knows no
 * operation.
 */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

#define COLUMNS_MAX 16

/* How a member of the row is written, if the column has no function for its text. */
enum column_as {
	COLUMN_TEXT,
	COLUMN_NUMBER,
	COLUMN_SIZE, /* 1.2 MiB */
	COLUMN_MS,   /* a duration: 3 s */
	COLUMN_AGE,  /* a moment, in milliseconds since 1970: how long ago it was */
};

struct column {
	const char *head;
	int least; /* minimum width in columns */
	int goes;  /* if the window is narrow the highest is dropped first; 0: never */
	bool shrinks, right;
	bool optional;                                           /* omitted if no row has a value */
	void (*text)(const json_t *row, char *text, size_t cap); /* NULL: member KEY of the row */
	const char *key;
	enum column_as as;
	const char *(*colour)(const json_t *row); /* NULL: none */
};

struct column_table {
	const struct column *columns; /* ends with head NULL; at least one is never dropped */
	int width[COLUMNS_MAX];       /* 0: not there */
	bool colour;
};

/* For ROWS, an array, in WIDTH columns; 0: as wide as needed. */
void columns_lay(struct column_table *g, const struct column *columns, const json_t *rows, int width,
		 bool colour);
/* Columns its lines take. */
int columns_width(const struct column_table *g);
/* A line without its end; the first also without colour. */
void columns_head(const struct column_table *g, struct buf *out);
void columns_row(const struct column_table *g, const json_t *row, struct buf *out);

#endif
