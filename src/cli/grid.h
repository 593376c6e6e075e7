/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table that fits the window: columns shrink, then are dropped, the least important first. Knows no
 * operation.
 */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

#define GRID_MAX 16

struct grid_column {
	const char *head;
	int least; /* minimum width in columns */
	int goes;  /* if the window is narrow the highest is dropped first; 0: never */
	bool shrinks, right;
	bool optional; /* omitted if no row has a value */
	void (*text)(const json_t *row, char *text, size_t cap);
	const char *(*colour)(const json_t *row); /* NULL: none */
};

struct grid {
	const struct grid_column *columns; /* ends with head NULL; at least one is never dropped */
	int width[GRID_MAX];               /* 0: not there */
	bool colour;
};

/* For ROWS, an array, in WIDTH columns; 0: as wide as needed. */
void grid_lay(struct grid *g, const struct grid_column *columns, const json_t *rows, int width, bool colour);
/* Columns its lines take. */
int grid_width(const struct grid *g);
/* A line without its end; the first also without colour. */
void grid_head(const struct grid *g, struct buf *out);
void grid_row(const struct grid *g, const json_t *row, struct buf *out);

#endif
