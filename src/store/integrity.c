/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the store belongs to the boxes beside it: not missing, not emptied, not an older copy, not damaged
 * where it decides what is removed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/log.h"
#include "base/path.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

/* Another process may be writing the mark, or making the file, just now. */
#define TRIES 3

/* Whether a name in DIR/SUB begins with A or B. */
static bool has_entry(const char *dir, const char *sub, const char *a, const char *b)
{
	scoped(drop_mem) char *path = path_join(dir, sub);
	scoped(drop_dir) DIR *d = path ? opendir(path) : NULL;
	struct dirent *entry;
	int r = 0;

	while (d && (entry = dir_next(d, &r)))
		if (!strncmp(entry->d_name, a, strlen(a)) || !strncmp(entry->d_name, b, strlen(b)))
			return true;
	return false;
}

bool db_has_traces(const char *dir)
{
	struct db_mark mark;

	return (db_mark_read(dir, &mark) == 0 && mark.event > 0) || has_entry(dir, "layers", "l-", "pin-") ||
	       has_entry(dir, "promotions", "p-", "t-") || has_entry(dir, "artifacts", "a-", "a-");
}

static bool is_there(const char *dir)
{
	scoped(drop_mem) char *path = path_join(dir, "store.db");
	struct stat st;

	return path && (stat(path, &st) == 0 ? st.st_size > 0 : errno != ENOENT);
}

void db_mark_fill(struct db_mark *m, const struct stat *st)
{
	m->ino = (int64_t)st->st_ino;
	m->size = st->st_size;
	m->mtime_ns = st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec;
}

/* To empty the log into the file at every close would be two fsyncs a command. So it has two names, and is
 * lost only with both. */
void db_log_restore(const char *dir)
{
	scoped(drop_mem) char *log = path_join(dir, "store.db-wal");
	scoped(drop_mem) char *twin = path_join(dir, DB_LOG_TWIN);
	scoped(drop_mem) char *file = path_join(dir, "store.db");
	struct db_mark mark, now;
	struct stat st;

	if (!log || !twin || !file || access(log, F_OK) == 0 || access(twin, F_OK) < 0)
		return;
	/* On any other file it would be damage. */
	if (db_mark_read(dir, &mark) < 0 || stat(file, &st) < 0)
		return;
	now = mark;
	db_mark_fill(&now, &st);
	if (now.ino != mark.ino || now.size != mark.size || now.mtime_ns != mark.mtime_ns ||
	    link(twin, log) < 0)
		log_debug("'%s' no longer belongs to '%s'", twin, file);
}

void db_log_keep(const char *dir)
{
	scoped(drop_mem) char *log = path_join(dir, "store.db-wal");
	scoped(drop_mem) char *twin = path_join(dir, DB_LOG_TWIN);
	struct stat a, b;

	if (!log || !twin || stat(log, &a) < 0)
		return;
	if (a.st_nlink > 1 && stat(twin, &b) == 0 && a.st_ino == b.st_ino)
		return;
	unlink(twin);
	if (link(log, twin) < 0) /* no hard links here, or another was faster */
		log_debug("'%s' has no second name", log);
}

int db_look(const char *dir, bool *ret_first, struct aisbx_error *e)
{
	*ret_first = false;
	if (is_there(dir))
		return 0;
	*ret_first = true;
	if (!db_has_traces(dir) || is_there(dir)) /* the second time: somebody was making it */
		return 0;
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_STORE, EUCLEAN,
			    "the store '%s/store.db' is missing, but there are boxes, and nothing of them is "
			    "lost: " STORE_REBUILD,
			    dir);
}

int store_look(const char *dir, bool *ret_first, struct aisbx_error *e)
{
	bool first;

	return db_look(dir, ret_first ? ret_first : &first, e);
}

int store_try_write(struct store *s, struct aisbx_error *e)
{
	int r = store_begin(s, e);

	store_rollback(s);
	return r;
}

/* A store of before there were manifests, or whose mark somebody removed. */
static void adopt(struct store *s)
{
	struct aisbx_error ignored =
		AISBX_ERROR_INIT; /* who cannot write here will be told when it is tried */
	struct db_mark mark = { 0 };

	if (store_manifests_renew(s, &ignored) == 0 && db_newest_event(s, &mark.event, &ignored) == 0)
		db_mark_write(s->dir, &mark);
}

int db_compare(struct store *s, struct aisbx_error *e)
{
	struct db_mark mark;
	int64_t newest = 0;

	for (int i = 0; i < TRIES; i++) {
		int r = db_mark_read(s->dir, &mark);

		if (r < 0) {
			if (r == -ENOENT)
				adopt(s);
			return 0;
		}
		r = db_newest_event(s, &newest, e);
		if (r < 0 || mark.event <= newest)
			return r;
	}
	return aisbx_refuse(
		e, AISBX_KIND_INTERNAL, AISBX_AREA_STORE, EUCLEAN,
		"the store '%s/store.db' is older than the boxes beside it: it is a copy, or its '-wal' was "
		"lost (it has %lld events of %lld); nothing of the boxes is lost: " STORE_REBUILD,
		s->dir, (long long)newest, (long long)mark.event);
}

/* The first word of a check that finds nothing is "ok". */
static int check(struct store *s, const char *sql, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	const char *said;
	int r = db_prepare(s, &stmt, e, sql, "");

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r <= 0)
		return r;
	said = (const char *)sqlite3_column_text(stmt, 0);
	if (said && !strcmp(said, "ok"))
		return 0;
	return aisbx_refuse(
		e, AISBX_KIND_INTERNAL, AISBX_AREA_STORE, EUCLEAN,
		"the store '%s/store.db' is damaged (%.100s); nothing was removed; the boxes are still "
		"there, and " STORE_REBUILD,
		s->dir, said ? said : "no answer");
}

int store_check(struct store *s, struct aisbx_error *e)
{
	static const char *const tables[] = { "boxes",  "layers",      "snapshots",    "promotions", "saved",
					      "images", "image_names", "image_layers", "templates" };
	char sql[64];
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(tables) / sizeof(*tables); i++) {
		snprintf(sql, sizeof(sql), "PRAGMA integrity_check(%s)", tables[i]);
		r = check(s, sql, e);
		snprintf(sql, sizeof(sql), "PRAGMA foreign_key_check(%s)", tables[i]);
		if (r == 0)
			r = check(s, sql, e);
	}
	return r;
}
