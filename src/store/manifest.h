/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manifests as text: a header, the numbers of the newest event then and before, a line for each row, an end.
 * The last one in a file is valid.
 */
#ifndef STORE_MANIFEST_H
#define STORE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"

#define MANIFEST      "manifest"
#define MANIFEST_HEAD "aisbx manifest 1"
#define MANIFEST_END  "end"

/* Columns of a row, at most. */
#define MANIFEST_COLUMNS 48

/* The columns borrow from the text. */
struct manifest_row {
	const char *table;
	const char *names[MANIFEST_COLUMNS], *values[MANIFEST_COLUMNS];
	size_t n;
};

/* Numbers of the newest event, with the transaction that wrote it and before. */
struct manifest_when {
	int64_t at, from;
};

/*
 * The last complete one of the file, -EUCLEAN: there is none. RET_SIZE, of the file, is always set and may be
 * NULL.
 */
int manifest_load(const char *path, struct buf *ret_text, struct manifest_when *ret_when, size_t *ret_size);
/* Whether they differ only in the time at which they were written. */
bool manifest_is_same(const struct buf *a, const struct buf *b);
/* The next row at *AT, which starts at 0; modifies TEXT. */
bool manifest_next(struct buf *text, size_t *at, struct manifest_row *ret);
/* NULL: it has no such column. */
const char *manifest_value(const struct manifest_row *row, const char *name);

#endif
