/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, statements and errors of the database. */
#include "store/db.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/private_dir.h"
#include "base/scope.h"
#include "base/time.h"
#include "store/store.h"

/* How long a writer waits for another. */
#define BUSY_MS 20000
/* The write-ahead log is emptied when it is longer: five fsyncs in some thirty changes, none
 * in the others. */
#define LOG_BYTES (1 << 20)

static int errno_of(int code, int os_error)
{
	switch (code & 0xff) {
	case SQLITE_NOMEM:
		return ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return EBUSY;
	case SQLITE_FULL:
		return ENOSPC;
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return EACCES;
	case SQLITE_CONSTRAINT:
		return code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY ? EEXIST
												: EINVAL;
	case SQLITE_CANTOPEN:
		return os_error ? os_error : ENOENT;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return EUCLEAN;
	default:
		return os_error == ENOSPC || os_error == EDQUOT ? os_error : EIO;
	}
}

int db_fail(struct store *s, struct aisbx_error *e, const char *what)
{
	int code = s->db ? sqlite3_extended_errcode(s->db) : SQLITE_NOMEM;

	int r = aisbx_refuse(
		e, aisbx_kind_of(AISBX_AREA_STORE, errno_of(code, s->db ? sqlite3_system_errno(s->db) : 0)),
		AISBX_AREA_STORE, errno_of(code, s->db ? sqlite3_system_errno(s->db) : 0),
		"%s: %s (%s/store.db)", what, s->db ? sqlite3_errmsg(s->db) : "out of memory", s->dir);

	if (r == -ENOSPC)
		return aisbx_hint(
			e,
			"make room there ('aisbx gc' removes what nobody needs), or set XDG_STATE_HOME to a "
			"directory that has some");
	return r == -EUCLEAN ? aisbx_hint(e, "the boxes are still there, and " STORE_REBUILD) : r;
}

int db_exec(struct store *s, const char *sql, struct aisbx_error *e)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
								       : db_fail(s, e, "change the store");
}

int db_scrub(struct store *s, const char *text, struct buf *room, const char **ret)
{
	room->len = 0;
	*ret = text;
	if (!s->scrub || !text)
		return SQLITE_OK;
	if (!s->scrub(s->scrub_ctx, text, strlen(text), room) || !buf_str(room))
		return SQLITE_NOMEM;
	*ret = room->data;
	return SQLITE_OK;
}

static int bind_text(struct store *s, sqlite3_stmt *stmt, int i, const char *text)
{
	scoped(buf_finish) struct buf room = { 0 };
	int code = sqlite3_stmt_readonly(stmt) ? SQLITE_OK : db_scrub(s, text, &room, &text);

	return code == SQLITE_OK ? sqlite3_bind_text(stmt, i, text, -1, SQLITE_TRANSIENT) : code;
}

static int bind(struct store *s, sqlite3_stmt *stmt, const char *format, va_list ap)
{
	for (int i = 1; *format; format++, i++) {
		int code = SQLITE_MISUSE;

		if (*format == 's')
			code = bind_text(s, stmt, i, va_arg(ap, const char *));
		else if (*format == 'i')
			code = sqlite3_bind_int64(stmt, i, va_arg(ap, int64_t));
		else if (*format == 'd')
			code = sqlite3_bind_double(stmt, i, va_arg(ap, double));
		if (code != SQLITE_OK)
			return code;
	}
	return SQLITE_OK;
}

static int prepare(struct store *s, sqlite3_stmt **ret_stmt, struct aisbx_error *e, const char *sql,
		   const char *format, va_list ap)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK ||
	    bind(s, stmt, format, ap) != SQLITE_OK) {
		int r = db_fail(s, e, "ask the store");

		sqlite3_finalize(stmt);
		return r;
	}
	*ret_stmt = stmt;
	return 0;
}

int db_prepare(struct store *s, sqlite3_stmt **ret_stmt, struct aisbx_error *e, const char *sql,
	       const char *format, ...)
{
	va_list ap;
	int r;

	va_start(ap, format);
	r = prepare(s, ret_stmt, e, sql, format, ap);
	va_end(ap);
	return r;
}

int db_number(struct store *s, int64_t *ret, struct aisbx_error *e, const char *sql, const char *format, ...)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	va_list ap;
	int r;

	va_start(ap, format);
	r = prepare(s, &stmt, e, sql, format, ap);
	va_end(ap);
	if (r == 0)
		r = db_next(s, stmt, e);
	if (r < 0)
		return r;
	*ret = r > 0 ? sqlite3_column_int64(stmt, 0) : 0;
	return 0;
}

int db_change(struct store *s, struct aisbx_error *e, const char *sql, const char *format, ...)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	va_list ap;
	int r;

	va_start(ap, format);
	r = prepare(s, &stmt, e, sql, format, ap);
	va_end(ap);
	if (r < 0)
		return r;
	return sqlite3_step(stmt) == SQLITE_DONE ? 0 : db_fail(s, e, "change the store");
}

int db_next(struct store *s, sqlite3_stmt *stmt, struct aisbx_error *e)
{
	int code = sqlite3_step(stmt);

	if (code == SQLITE_ROW)
		return 1;
	return code == SQLITE_DONE ? 0 : db_fail(s, e, "read the store");
}

char *db_copy_text(sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	return strdup(text ? text : "");
}

void db_text(sqlite3_stmt *stmt, int column, char *ret, size_t cap)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	snprintf(ret, cap, "%s", text ? text : "");
}

/* Others must not even open it: who can may lock it, and we would wait. */
int store_check_dir(const char *dir, struct aisbx_error *e)
{
	static char checked[PATH_MAX]; /* what was ours stays ours, see base/private_dir.h */
	scoped(drop_fd) int fd = -1;
	struct stat st;
	int r;

	if (!strcmp(checked, dir))
		return 0;
	fd = private_dir_open(dir, "set XDG_STATE_HOME to a directory of your own", e);
	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return aisbx_context(e, "where aisbx stores its boxes");
	if (fstat(fd, &st) < 0 || ((st.st_mode & 077) && fchmod(fd, st.st_mode & 07700) < 0))
		return aisbx_fail(e, AISBX_AREA_STORE, errno,
				  "close '%s', where aisbx stores its boxes, to others", dir);
	r = private_dir_check_entries(fd, dir, e);
	if (r == 0)
		snprintf(checked, sizeof(checked), "%s", dir);
	return r < 0 ? aisbx_context(e, "where aisbx stores its boxes") : 0;
}

static int no_place(int err, const char *verb, const char *dir, struct aisbx_error *e)
{
	aisbx_fail(e, AISBX_AREA_STORE, err, "%s '%s', where aisbx stores its boxes", verb, dir);
	return aisbx_hint(e, "set XDG_STATE_HOME to a directory that you can write to");
}

int store_make_dirs(const char *dir, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = strdup(dir);

	if (!path)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "open the store");
	for (char *p = path + 1;; p++) {
		char cut = *p;

		if (cut && cut != '/')
			continue;
		*p = '\0';
		if (mkdir(path, cut ? 0755 : 0700) < 0 && errno != EEXIST)
			return no_place(errno, "make", path, e);
		*p = cut;
		if (!cut)
			return store_check_dir(dir, e);
	}
}

/*
 * The first time, the file becomes one with a write-ahead log, and somebody else who reads it just then is in
 * the way: for that SQLite itself does not wait.
 */
static int use_log(struct store *s, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t until = time_ms() + BUSY_MS;

	for (;;) {
		int r = db_exec(s, "PRAGMA journal_mode=WAL", e);

		if (r != -EBUSY || time_ms() >= until)
			return r;
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		nanosleep(&pause, NULL);
	}
}

/* Opens PATH, which is made with MAKE. Where that fails E says why. */
static int open_file(struct store *s, const char *path, bool make, struct aisbx_error *e)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;

	if (make && store_make_dirs(s->dir, e) < 0)
		return e->code;
	if (sqlite3_open_v2(path, &s->db, make ? flags | SQLITE_OPEN_CREATE : flags, NULL) == SQLITE_OK)
		return 0;
	if (faccessat(AT_FDCWD, s->dir, W_OK, AT_EACCESS) < 0)
		return no_place(errno, "write to", s->dir, e);
	return db_fail(s, e, "open the store");
}

int db_open(const char *dir, const char *path, bool make, struct store **ret_store, struct aisbx_error *e)
{
	struct store *s = calloc(1, sizeof(*s));
	struct stat st;
	int r;

	if (!s || !(s->dir = strdup(dir))) {
		store_close(s);
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "open the store");
	}
	r = open_file(s, path, make, e);
	if (r == 0 && stat(path, &st) == 0) {
		s->dev = st.st_dev;
		s->ino = st.st_ino;
	}
	if (r < 0) {
		store_close(s);
		return r;
	}
	sqlite3_busy_timeout(s->db, BUSY_MS);
	*ret_store = s;
	return 0;
}

int store_open(const char *dir, struct store **ret_store, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = NULL;
	scoped(drop_store) struct store *s = NULL;
	bool make = false;
	int r = db_look(dir, &make, e);

	if (r == 0)
		db_log_restore(dir);
	if (r == 0 && asprintf(&path, "%s/store.db", dir) < 0) {
		path = NULL;
		r = aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "open the store");
	}
	if (r == 0)
		r = db_open(dir, path, make, &s, e);
	if (r < 0)
		return r;
	/* Each command is a process: emptying the log at every close would be an fsync a command. */
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	/* In a write-ahead log NORMAL keeps the file sound over a crash, without an fsync per change. */
	r = use_log(s, e);
	if (r == 0)
		db_log_keep(dir);
	if (r == 0)
		r = db_exec(s,
			    "PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA wal_autocheckpoint=0",
			    e);
	if (r == 0)
		r = db_migrate(s, e);
	if (r == 0)
		r = db_compare(s, e);
	if (r == 0)
		*ret_store = take_mem(&s);
	return r;
}

/*
 * A process that is alone reads the whole log when it opens it and no longer knows how much of it the file
 * has: SQLite's own checkpoints would copy all of it at every commit and never start it afresh. So it is
 * emptied, whole, when it has become long.
 */
static void shorten_log(struct store *s)
{
	scoped(drop_mem) char *path = NULL;
	struct stat st;

	if (s->db && !s->anew && asprintf(&path, "%s/store.db-wal", s->dir) >= 0 && stat(path, &st) == 0 &&
	    st.st_size > LOG_BYTES)
		sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
					  NULL); /* if not now, then by another */
}

void store_scrub_by(struct store *s, store_scrub_fn *fn, void *ctx)
{
	s->scrub = fn;
	s->scrub_ctx = ctx;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	store_rollback(s);
	shorten_log(s);
	sqlite3_close(s->db);
	free(s->touched);
	free(s->freed);
	free(s->dir);
	free(s);
}

/* Somebody may have made the store anew, or taken it away, while this process had it open: what it wrote now
 * nobody would read. */
static int check_place(struct store *s, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = NULL;
	struct stat st;

	if (!s->ino || asprintf(&path, "%s/store.db", s->dir) < 0) {
		path = NULL;
		return 0;
	}
	if (stat(path, &st) == 0 && st.st_ino == s->ino && st.st_dev == s->dev) {
		db_mark_fill(&s->mark, &st);
		return 0;
	}
	return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_STORE, EAGAIN,
			    "'%s' was replaced or removed meanwhile; nothing was changed; try again", path);
}

int store_check_writable(struct store *s, struct aisbx_error *e)
{
	if (sqlite3_db_readonly(s->db, "main") != 1)
		return 0;
	/* SQLite would begin, and fail in the middle. */
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_STORE, EROFS,
			    "the store '%s/store.db' is read-only, so nothing was changed; make it writable",
			    s->dir);
}

int store_begin(struct store *s, struct aisbx_error *e)
{
	int r = store_check_writable(s, e);

	if (r == 0)
		r = db_exec(s, "BEGIN IMMEDIATE", e);

	s->in_transaction = r == 0;
	s->n_touched = 0;
	s->mark = (struct db_mark){ 0 };
	if (r == 0)
		r = check_place(s, e);
	if (r < 0)
		store_rollback(s);
	return r;
}

int store_commit(struct store *s, struct aisbx_error *e)
{
	int r = db_manifests_write(s, e);

	if (r == 0)
		r = db_exec(s, "COMMIT", e);
	if (r < 0)
		return r;
	s->in_transaction = false;
	s->n_touched = 0;
	if (s->mark.event)
		db_mark_write(s->dir, &s->mark);
	return 0;
}

void store_rollback(struct store *s)
{
	if (!s->in_transaction)
		return;
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	s->in_transaction = false;
	db_manifests_restore(s);
}

int db_start(struct store *s, bool *ret_own, struct aisbx_error *e)
{
	*ret_own = !s->in_transaction;
	return *ret_own ? store_begin(s, e) : 0;
}

int db_end(struct store *s, bool own, int r, struct aisbx_error *e)
{
	if (own && r == 0)
		r = store_commit(s, e);
	if (own)
		store_rollback(s);
	return r;
}
