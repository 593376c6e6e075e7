/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite with errors of ours. Inside store/ only. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "store/store.h"

struct store {
	sqlite3 *db;
	char *dir; /* owned */
	bool in_transaction;
	store_scrub_fn *scrub; /* NULL, or what every text passes before it is kept */
	void *scrub_ctx;
};

/* A text to be kept. RET is TEXT, or lies in ROOM. */
int db_scrub(struct store *s, const char *text, struct buf *room, const char **ret);

/* Maps what SQLite said to errno, with its own words in the text. */
int db_fail(struct store *s, struct aisbx_error *e, const char *what);
int db_exec(struct store *s, const char *sql, struct aisbx_error *e);

/* FORMAT: 's' text (NULL is NULL), 'i' int64_t, 'd' double, one per '?'. */
int db_prepare(struct store *s, sqlite3_stmt **ret_stmt, struct aisbx_error *e, const char *sql, const char *format,
	       ...);
/* A statement without rows, in one go. */
int db_change(struct store *s, struct aisbx_error *e, const char *sql, const char *format, ...);
/* 1 a row, 0 the end, negative an error. */
int db_next(struct store *s, sqlite3_stmt *stmt, struct aisbx_error *e);

static inline void drop_stmt(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}

/* Column as text into a fixed field; "" for NULL. */
void db_text(sqlite3_stmt *stmt, int column, char *ret, size_t cap);
/* The same on the heap; NULL: no memory. */
char *db_copy_text(sqlite3_stmt *stmt, int column);

int db_migrate(struct store *s, struct aisbx_error *e);
/* Puts runs that are in no block yet into blocks, as far as they fill some. Has a transaction of its own. */
int db_index_runs(struct store *s, struct aisbx_error *e);

#endif
