/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the store, as a list of migrations: a step that has landed is never edited. */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

static const char *const migrations[] = {
	/* 1: boxes, layers, snapshots, runs */
	"CREATE TABLE layers (id TEXT PRIMARY KEY, parent TEXT REFERENCES layers(id), frozen INTEGER NOT NULL DEFAULT 0)"
	" WITHOUT ROWID;"
	"CREATE INDEX layers_by_parent ON layers(parent);"
	"CREATE TABLE boxes (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, top TEXT NOT NULL REFERENCES layers(id),"
	" profile TEXT NOT NULL, project TEXT, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,"
	" watermark_s INTEGER NOT NULL, watermark_ns INTEGER NOT NULL, autosnap INTEGER NOT NULL) WITHOUT ROWID;"
	"CREATE INDEX boxes_by_top ON boxes(top);"
	"CREATE TABLE snapshots (id TEXT PRIMARY KEY, box TEXT NOT NULL REFERENCES boxes(id) ON DELETE CASCADE,"
	" name TEXT NOT NULL, layer TEXT NOT NULL REFERENCES layers(id), created_ms INTEGER NOT NULL,"
	" automatic INTEGER NOT NULL, seq INTEGER NOT NULL, UNIQUE (box, name)) WITHOUT ROWID;"
	"CREATE INDEX snapshots_by_layer ON snapshots(layer);"
	"CREATE TABLE runs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, box TEXT, status TEXT NOT NULL,"
	" exit_code INTEGER, started_ms INTEGER NOT NULL, wall_ms REAL NOT NULL, command TEXT NOT NULL, result TEXT);"
	"CREATE INDEX runs_by_box ON runs(box, seq);"
	"CREATE INDEX runs_by_status ON runs(status, seq);"
	"CREATE INDEX runs_by_time ON runs(started_ms);",
};

#define LATEST ((int)(sizeof(migrations) / sizeof(*migrations)))

static int version_of(struct store *s, int *ret_version, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e, "PRAGMA user_version", "");

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r > 0)
		*ret_version = sqlite3_column_int(stmt, 0);
	return r < 0 ? r : 0;
}

int db_migrate(struct store *s, struct aisbx_error *e)
{
	int version = 0, r = version_of(s, &version, e);
	char done[48];

	if (r < 0 || version == LATEST)
		return r;
	r = store_begin(s, e);
	if (r == 0)
		r = version_of(s, &version, e); /* another process may have been faster */
	if (r == 0 && version > LATEST)
		r = aisbx_refuse(e, AISBX_AREA_STORE, EOPNOTSUPP, "the store in '%s' was written by a newer aisbx (format %d, "
				 "this one knows %d); use that one", s->dir, version, LATEST);
	for (; r == 0 && version < LATEST; version++)
		r = db_exec(s, migrations[version], e);
	snprintf(done, sizeof(done), "PRAGMA user_version=%d", LATEST);
	if (r == 0)
		r = db_exec(s, done, e);
	if (r == 0)
		r = store_commit(s, e);
	else
		store_rollback(s);
	return r;
}
