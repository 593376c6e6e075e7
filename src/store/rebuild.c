/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rebuilds the store: in a file beside it, from manifests and what can be read of the old one; then it
 * replaces the old one, which is kept. If it is killed at any moment, the next one starts over, or puts the
 * finished one in place.
 */
#include "store/rebuild.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"

#define DRAFT "store.db.new"
/* It is whole, and nobody has it yet. */
#define READY "store.db.ready"

void rebuild_tell(struct store_rebuild *b, const char *format, ...)
{
	scoped(drop_mem) char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vasprintf(&text, format, ap);
	va_end(ap);
	if (n < 0) {
		text = NULL;
		b->told.failed = true;
		return;
	}
	strlist_add(&b->told, text);
}

/* The old one gets a name that says when; with its log, so that SQLite still reads both. */
static int swap(struct store_rebuild *b)
{
	char log[sizeof(b->aside) + 8];
	struct tm tm;
	time_t now = time(NULL);

	gmtime_r(&now, &tm);
	for (int i = 0; i < 100; i++) {
		size_t n = strftime(b->aside, sizeof(b->aside), "store.db.lost-%Y%m%dT%H%M%SZ", &tm);

		if (i)
			snprintf(b->aside + n, sizeof(b->aside) - n, ".%d", i);
		if (faccessat(b->dir, b->aside, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			break;
	}
	if (renameat(b->dir, "store.db", b->dir, b->aside) < 0) {
		if (errno != ENOENT)
			return -errno;
		b->aside[0] = '\0';
	}
	/* Before another file is called store.db: SQLite would take the log for that one's. */
	snprintf(log, sizeof(log), "%s-wal", b->aside[0] ? b->aside : "store.db.lost");
	if (renameat(b->dir, "store.db-wal", b->dir, log) < 0 && errno != ENOENT)
		return -errno;
	if (unlinkat(b->dir, "store.db-shm", 0) < 0 && errno != ENOENT)
		return -errno;
	if (unlinkat(b->dir, DB_LOG_TWIN, 0) < 0 && errno != ENOENT)
		return -errno;
	if (renameat(b->dir, READY, b->dir, "store.db") < 0)
		return -errno;
	return fsync(b->dir) < 0 ? -errno : 0;
}

static bool has(const struct store_rebuild *b, const char *name)
{
	return faccessat(b->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int lock(struct store_rebuild *b, const char *dir, struct aisbx_error *e)
{
	b->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (b->dir < 0 || flock(b->dir, LOCK_EX) < 0) /* who imports runs has it, too */
		return aisbx_fail(e, AISBX_AREA_STORE, errno, "lock '%s'", dir);
	return 0;
}

static int open_draft(struct store_rebuild *b, const char *dir, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(dir, DRAFT);
	int r;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "rebuild the store");
	if ((unlink(path) < 0 && errno != ENOENT) || (unlinkat(b->dir, READY, 0) < 0 && errno != ENOENT))
		return aisbx_fail(e, AISBX_AREA_STORE, errno, "rebuild the store in '%s'", dir);
	r = db_open(dir, path, true, &b->store, e);
	if (r < 0)
		return r;
	b->store->ino = 0; /* it has no place yet */
	b->store->anew = true;
	r = db_exec(b->store,
		    "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF; PRAGMA "
		    "temp_store=MEMORY",
		    e);
	if (r == 0)
		r = db_migrate(b->store, e);
	return r < 0 ? r : store_begin(b->store, e);
}

/* The old one, held so that nobody writes to it meanwhile; without one there is nothing to salvage. */
static int open_old(struct store_rebuild *b, const char *dir, struct store **ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(dir, "store.db");
	struct aisbx_error why = AISBX_ERROR_INIT;
	int r = path && has(b, "store.db") ? db_open(dir, path, false, ret, &why) : -ENOENT;

	if (r < 0)
		return 0;
	(*ret)->anew = true; /* as it is, it is kept */
	sqlite3_db_config((*ret)->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	r = db_exec(*ret, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; BEGIN IMMEDIATE", &why);
	if (r == -EBUSY) {
		*e = why;
		return aisbx_context(e, "another process is writing to the store");
	}
	(*ret)->in_transaction = r == 0;
	return 0;
}

int store_rebuild_begin(const char *dir, struct store_rebuild *ret, struct aisbx_error *e)
{
	static const char found[] =
		"CREATE TEMP TABLE there (id TEXT PRIMARY KEY, told INTEGER NOT NULL) WITHOUT ROWID;"
		"CREATE TEMP TABLE found_layers AS SELECT *, 0 AS said_at FROM layers WHERE 0;"
		"CREATE TEMP TABLE found_boxes AS SELECT *, 0 AS said_at, 0 AS said_top FROM boxes WHERE 0;"
		"CREATE TEMP TABLE found_snapshots AS SELECT *, 0 AS said_at FROM snapshots WHERE 0;"
		"CREATE TEMP TABLE found_images AS SELECT *, 0 AS said_at FROM images WHERE 0;"
		"CREATE TEMP TABLE found_image_names AS SELECT *, 0 AS said_at FROM image_names WHERE 0;"
		"CREATE TEMP TABLE found_image_layers AS SELECT *, 0 AS said_at FROM image_layers WHERE 0;"
		"CREATE TEMP TABLE found_templates AS SELECT *, 0 AS said_at FROM templates WHERE 0;";
	int r;

	*ret = (struct store_rebuild){ .dir = -1 };
	r = lock(ret, dir, e);
	if (r == 0 && !has(ret, "store.db") && has(ret, READY)) {
		ret->was_ready = true;
		r = swap(ret);
		return r < 0 ? aisbx_fail(e, AISBX_AREA_STORE, -r, "put the new store in place") : 0;
	}
	if (r == 0)
		r = open_draft(ret, dir, e);
	if (r == 0)
		r = db_exec(ret->store, found, e);
	if (r == 0)
		r = open_old(ret, dir, &ret->old, e);
	if (r == 0 && ret->old)
		r = rebuild_salvage(ret, ret->old, e);
	return r;
}

void store_rebuild_finish(struct store_rebuild *b)
{
	if (b->old)
		b->old->ino = 0;
	store_close(b->old);
	store_close(b->store);
	strlist_finish(&b->told);
	close_fd(&b->dir);
}

int rebuild_insert(struct store *s, const char *table, const struct manifest_row *row, const char *leave,
		   struct aisbx_error *e)
{
	scoped(buf_finish) struct buf sql = { 0 };
	scoped(buf_finish) struct buf marks = { 0 };
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	const char *values[MANIFEST_COLUMNS];
	int n = 0, r;

	buf_addf(&sql, "INSERT OR IGNORE INTO %s (", table);
	for (size_t i = 0; i < row->n; i++) {
		const char *known = NULL;
		char name[32];

		snprintf(name, sizeof(name), "%.31s", table);
		if (sqlite3_table_column_metadata(s->db, NULL, name, row->names[i], &known, NULL, NULL, NULL,
						  NULL) != SQLITE_OK ||
		    (leave && !strcmp(row->names[i], leave)))
			continue;
		buf_addf(&sql, "%s\"%s\"", n ? ", " : "", row->names[i]);
		buf_addf(&marks, "%s?", n ? ", " : "");
		values[n++] = row->values[i];
	}
	buf_addf(&sql, ") VALUES (%s)", n && buf_str(&marks) ? marks.data : "");
	if (!n)
		return 0;
	if (!buf_str(&sql) || marks.failed)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "import a manifest");
	r = db_prepare(s, &stmt, e, sql.data, "");
	for (int i = 0; r == 0 && i < n; i++)
		if (sqlite3_bind_text(stmt, i + 1, values[i], -1, SQLITE_STATIC) != SQLITE_OK)
			r = db_fail(s, e, "import a manifest");
	if (r == 0 && sqlite3_step(stmt) != SQLITE_DONE)
		r = db_fail(s, e, "import a manifest");
	return r;
}

/* One that says it is of another layer, or speaks of what it is not in, is not believed. */
static bool fits(const struct manifest_row *row, const char *layer)
{
	const char *own = !strcmp(row->table, "layers")                                   ? "id"
			  : !strcmp(row->table, "images")                                 ? "top"
			  : str_is_one_of(row->table, "snapshots|image_layers|templates") ? "layer"
											  : NULL;
	const char *value = own ? manifest_value(row, own) : NULL;

	if (!strcmp(row->table, "boxes"))
		return manifest_value(row, "id") && manifest_value(row, "top");
	if (!strcmp(row->table, "image_names")) /* those of images that are not there are left out later */
		return manifest_value(row, "name") && manifest_value(row, "image");
	return value && !strcmp(value, layer);
}

static int take_row(struct store_rebuild *b, struct manifest_row *row, const char *layer, const char *at,
		    struct aisbx_error *e)
{
	const char *top = manifest_value(row, "top");
	char table[32];

	if (!fits(row, layer) || row->n + 2 > MANIFEST_COLUMNS)
		return 0;
	row->names[row->n] = "said_at";
	row->values[row->n++] = at;
	if (top && !strcmp(row->table, "boxes")) {
		row->names[row->n] = "said_top";
		row->values[row->n++] = strcmp(top, layer) ? "0" : "1";
	}
	snprintf(table, sizeof(table), "found_%.20s", row->table);
	return rebuild_insert(b->store, table, row, NULL, e);
}

int store_rebuild_layer(struct store_rebuild *b, const char *id, const char *manifest, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	struct manifest_row row;
	struct manifest_when when = { 0 };
	size_t next = 0;
	char said_at[24];
	int told = manifest_load(manifest, &text, &when, NULL);
	int r = db_change(b->store, e, "INSERT OR REPLACE INTO there (id, told) VALUES (?,?)", "si", id,
			  (int64_t)(told == 0));

	if (when.at > b->newest && told == 0)
		b->newest = when.at;
	snprintf(said_at, sizeof(said_at), "%lld", (long long)when.at);
	while (r == 0 && told == 0 && manifest_next(&text, &next, &row))
		r = take_row(b, &row, id, said_at, e);
	return r;
}

int store_rebuild_rows(struct store_rebuild *b, const char *manifest, const char *const *tables,
		       bool *ret_found, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	struct manifest_row row;
	struct manifest_when when;
	size_t next = 0;
	int r = 0;

	*ret_found = manifest_load(manifest, &text, &when, NULL) == 0;
	if (*ret_found && when.at > b->newest)
		b->newest = when.at;
	while (r == 0 && *ret_found && manifest_next(&text, &next, &row))
		for (const char *const *t = tables; *t && r == 0; t++)
			if (!strcmp(*t, row.table))
				r = rebuild_insert(b->store, row.table, &row, "seq", e);
	return r;
}

/* Newer than all that any manifest says: from now on this store counts. */
static int add_event(struct store_rebuild *b, struct aisbx_error *e)
{
	struct db_mark mark;
	int64_t newest = 0;
	int r = db_newest_event(b->store, &newest, e);

	if (db_mark_read(b->store->dir, &mark) == 0 && mark.event > newest)
		newest = mark.event;
	if (b->newest > newest)
		newest = b->newest;
	b->newest = newest + 1;
	return r < 0 ? r
		     : db_change(b->store, e,
				 "INSERT INTO events (seq, time_ms, kind, what) VALUES (?, ?, "
				 "'store.rebuilt', '{}')",
				 "ii", b->newest, (int64_t)time(NULL) * 1000);
}

int store_rebuild_end(struct store_rebuild *b, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	int r = b->was_ready ? 0 : rebuild_join(b, e);

	if (b->was_ready)
		return 0;
	if (r == 0)
		r = add_event(b, e);
	if (r < 0)
		return r;
	b->store->n_touched = 0; /* manifests follow when it is in its place */
	b->store->mark.event = 0;
	r = store_commit(b->store, e);
	if (r < 0)
		return r;
	store_close(b->store);
	b->store = NULL;
	fd = openat(b->dir, DRAFT, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fsync(fd) < 0 || renameat(b->dir, DRAFT, b->dir, READY) < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, errno, "rebuild the store");
	r = swap(b);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_STORE, -r, "put the new store in place") : 0;
}
