/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite with aisbx's errors. Inside store/ only. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "store/store.h"

/* What has a manifest: a file with a copy of its rows. */
enum db_kind { DB_LAYER, DB_PROMOTION, DB_SAVED };

struct db_touched {
	enum db_kind kind;
	char id[STORE_ID_MAX];
	bool written; /* its manifest may be ahead of the rows */
};

/* Written beside the file with every event: a store with fewer events is an older one. */
struct db_mark {
	int64_t event;
	int64_t ino, size, mtime_ns; /* of the file, which changes only at a checkpoint of its log */
};

struct store {
	sqlite3 *db;
	char *dir; /* owned */
	dev_t dev; /* of the file, when it was opened */
	ino_t ino;
	struct db_mark mark; /* of the transaction; event 0: nothing to write */
	int64_t before;      /* the newest event before those of the transaction */
	bool in_transaction;
	store_scrub_fn *scrub; /* NULL, or a filter for every text before it is stored */
	void *scrub_ctx;
	bool anew;                  /* it is being rebuilt */
	struct db_touched *touched; /* owned; manifests to be written before the transaction is committed */
	size_t n_touched;
	struct db_touched *freed; /* owned; layers that named a removed box, and may be removed now */
	size_t n_freed;
};

/* A text to be stored. RET is TEXT, or in ROOM. */
int db_scrub(struct store *s, const char *text, struct buf *room, const char **ret);

/* PATH as a store of DIR, without reading it. */
int db_open(const char *dir, const char *path, bool make, struct store **ret_store, struct aisbx_error *e);
/*
 * Before it is opened: whether there is a file, or it is the first time; -EUCLEAN: it is missing, and there
 * are boxes.
 */
int db_look(const char *dir, bool *ret_first, struct aisbx_error *e);
/* After it was opened: -EUCLEAN, it has fewer events than before. */
int db_compare(struct store *s, struct aisbx_error *e);
/* Whether DIR contains anything that a store must have had a record of. */
bool db_has_traces(const char *dir);

/* Maps SQLite's error to errno, with its message in the text. */
int db_fail(struct store *s, struct aisbx_error *e, const char *what);
int db_exec(struct store *s, const char *sql, struct aisbx_error *e);

/* FORMAT: 's' text (NULL is NULL), 'i' int64_t, 'd' double, one per '?'. */
int db_prepare(struct store *s, sqlite3_stmt **ret_stmt, struct aisbx_error *e, const char *sql,
	       const char *format, ...);
/* A statement without rows, in one go. */
int db_change(struct store *s, struct aisbx_error *e, const char *sql, const char *format, ...);
/* The number in the first row; 0 when there is none. */
int db_number(struct store *s, int64_t *ret, struct aisbx_error *e, const char *sql, const char *format, ...);
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

/* Rows of one kind. */
struct db_rows {
	const char *table;   /* "plans" */
	const char *columns; /* of db_find */
	size_t size;         /* of the struct they are read into */
	/* Into zeroes; whatever it left there after an error is finished. */
	int (*read)(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e);
	void (*finish)(void *row); /* NULL: it owns nothing */
};

/* All that STMT, for which db_prepare returned R, has to say: to *RET, a pointer to the first. */
int db_list(struct store *s, int r, sqlite3_stmt *stmt, const struct db_rows *rows, void *ret, size_t *ret_n,
	    struct aisbx_error *e);
void db_list_finish(const struct db_rows *rows, void *list, size_t n);
/* The one row whose id begins with KEY, of OWNER or, when that is NULL, of anybody. */
int db_find(struct store *s, const struct db_rows *rows, const char *key, const char *owner, void *ret,
	    struct aisbx_error *e);

/* Tabs, line ends and backslashes so that a text fits into a field of a line; and back, in place. */
void db_escape(struct buf *b, const char *text);
void db_unescape(char *s);

/* The rows of this are about to change, or have changed: its manifest is written with the transaction. */
int db_touch(struct store *s, enum db_kind kind, const char *id, struct aisbx_error *e);
/* The same for each id that the statement returns. */
int db_touch_all(struct store *s, enum db_kind kind, struct aisbx_error *e, const char *sql, const char *arg);
/*
 * The layers that the statement returns named a box that is removed: those that stay are touched after the
 * others were collected.
 */
int db_free_layers(struct store *s, struct aisbx_error *e, const char *sql, const char *arg);
int db_touch_freed(struct store *s, struct aisbx_error *e);
/* Writes the manifests of what was touched. */
int db_manifests_write(struct store *s, struct aisbx_error *e);
/* After a rollback: as the rows are. What cannot be written now is written by the next gc. */
void db_manifests_restore(struct store *s);
/* A transaction of its own unless there is one. RET_OWN: whether db_end has to end it. */
int db_start(struct store *s, bool *ret_own, struct aisbx_error *e);
int db_end(struct store *s, bool own, int r, struct aisbx_error *e);

/* The number of the newest event; 0: there is none. */
int db_newest_event(struct store *s, int64_t *ret, struct aisbx_error *e);
void db_mark_fill(struct db_mark *m, const struct stat *st);
/* -ENOENT: there is none. */
int db_mark_read(const char *dir, struct db_mark *ret);
void db_mark_write(const char *dir, const struct db_mark *m);

/* A second name (hard link) of the write-ahead log. */
#define DB_LOG_TWIN "store.db.log"
/* The log exists, or never did; if it was lost, and the file still belongs to it, its name is restored. */
void db_log_restore(const char *dir);
/* The log that is there has its second name. */
void db_log_keep(const char *dir);

int db_migrate(struct store *s, struct aisbx_error *e);
/* Puts runs that are in no block yet into blocks, as far as they fill some. Uses a transaction of its own. */
int db_index_runs(struct store *s, struct aisbx_error *e);

#endif
