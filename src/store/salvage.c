/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what can be read of a damaged store: each table from its beginning and, if that ends early, from its
 * end.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/rebuild.h"

/* A page that leads to itself would be read for ever. */
#define ROWS_MAX 5000000

struct table {
	char name[64];
	struct buf columns, marks;
	char key[64]; /* the first column of its key */
	int n;
};

static void table_finish(struct table *t)
{
	buf_finish(&t->columns);
	buf_finish(&t->marks);
}

/* The columns that both have: the old store may be of an earlier format. */
static int read_columns(struct store *new, struct store *old, struct table *t, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(new, &stmt, e, "SELECT name, pk FROM pragma_table_info(?)", "s", t->name);

	while (r >= 0 && (r = db_next(new, stmt, e)) > 0) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);

		if (sqlite3_column_int(stmt, 1) == 1)
			snprintf(t->key, sizeof(t->key), "%s", name);
		if (sqlite3_table_column_metadata(old->db, NULL, t->name, name, NULL, NULL, NULL, NULL,
						  NULL) != SQLITE_OK)
			continue;
		buf_addf(&t->columns, "%s\"%s\"", t->n ? ", " : "", name);
		buf_addf(&t->marks, "%s?", t->n++ ? ", " : "");
	}
	if (r == 0 && t->n && (!buf_str(&t->columns) || !buf_str(&t->marks)))
		r = aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read the old store");
	return r;
}

/* 1: to the end; 0: as far as it could be read. */
static int copy_rows(struct store *new, struct store *old, const struct table *t, bool backwards,
		     struct aisbx_error *e)
{
	scoped(buf_finish) struct buf from = { 0 };
	scoped(buf_finish) struct buf to = { 0 };
	scoped(drop_stmt) sqlite3_stmt *in = NULL;
	scoped(drop_stmt) sqlite3_stmt *out = NULL;
	struct aisbx_error unreadable = AISBX_ERROR_INIT;
	int r, more = 0;

	buf_addf(&from, "SELECT %s FROM \"%s\" ORDER BY \"%s\" %s", t->columns.data, t->name, t->key,
		 backwards ? "DESC" : "ASC");
	buf_addf(&to, "INSERT OR IGNORE INTO \"%s\" (%s) VALUES (%s)", t->name, t->columns.data,
		 t->marks.data);
	if (!buf_str(&from) || !buf_str(&to))
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read the old store");
	r = db_prepare(new, &out, e, to.data, "");
	if (r < 0)
		return r;
	if (db_prepare(old, &in, &unreadable, from.data, "") < 0)
		return 0;
	for (long rows = 0; r == 0 && rows < ROWS_MAX && (more = db_next(old, in, &unreadable)) > 0; rows++) {
		sqlite3_reset(out);
		for (int i = 0; i < t->n; i++)
			sqlite3_bind_value(out, i + 1, sqlite3_column_value(in, i));
		/* What no row can be is none. */
		if (sqlite3_step(out) != SQLITE_DONE && sqlite3_errcode(new->db) != SQLITE_CONSTRAINT &&
		    sqlite3_errcode(new->db) != SQLITE_MISMATCH)
			r = db_fail(new, e, "import a row of the old store");
	}
	return r < 0 ? r : more == 0;
}

static int copy_table(struct store_rebuild *b, struct store *old, const char *name, struct aisbx_error *e)
{
	scoped(table_finish) struct table t = { .n = 0 };
	int r;

	snprintf(t.name, sizeof(t.name), "%s", name);
	r = read_columns(b->store, old, &t, e);
	if (r == 0 && t.n)
		r = copy_rows(b->store, old, &t, false, e);
	else if (r == 0)
		return 0;
	if (r != 0)
		return r < 0 ? r : 0;
	b->damaged = true;
	rebuild_tell(b, "the table '%s' of the old store could not be read completely", name);
	r = copy_rows(b->store, old, &t, true, e);
	return r < 0 ? r : 0;
}

/* Rows of what was damaged may be anything. */
static int clean(struct store *s, struct aisbx_error *e)
{
	/* clang-format off */
	static const char sql[] =
		"DELETE FROM layers WHERE typeof(id) <> 'text' OR id NOT GLOB '" ID("l") "';"
		"UPDATE layers SET parent = NULL WHERE parent IS NOT NULL AND (typeof(parent) <> 'text' "
		"OR parent NOT GLOB '" ID("l") "');"
		"DELETE FROM boxes WHERE typeof(id) <> 'text' OR id NOT GLOB '" ID("b") "' OR typeof(top) "
		"<> 'text' OR top NOT GLOB '" ID("l") "';"
		"DELETE FROM snapshots WHERE typeof(id) <> 'text' OR id NOT GLOB '" ID("s") "' OR "
		"typeof(layer) <> 'text' OR layer NOT GLOB '" ID("l") "';"
		"DELETE FROM promotions WHERE typeof(id) <> 'text' OR id NOT GLOB '" ID("[pt]") "' OR "
		"typeof(target) <> 'text';"
		"DELETE FROM saved WHERE typeof(id) <> 'text' OR typeof(sha256) <> 'text' OR sha256 GLOB "
		"'*[^0-9a-f]*' OR length(sha256) <> 64;"
		"DELETE FROM images WHERE typeof(id) <> 'text' OR id NOT GLOB '" ID("i") "' OR "
		"typeof(digest) <> 'text' OR typeof(config) <> 'text' OR typeof(manifest) <> 'text' OR "
		"typeof(top) <> 'text' OR top NOT GLOB '" ID("l") "';"
		"DELETE FROM image_names WHERE typeof(name) <> 'text' OR typeof(image) <> 'text';"
		"DELETE FROM image_layers WHERE typeof(chain) <> 'text' OR typeof(layer) <> 'text';"
		"DELETE FROM templates WHERE typeof(owner) <> 'text' OR typeof(name) <> 'text' OR "
		"typeof(layer) <> 'text' OR layer NOT GLOB '" ID("l") "';"
		"DELETE FROM results WHERE seq NOT IN (SELECT seq FROM runs);"
		"DELETE FROM plan_steps WHERE plan NOT IN (SELECT seq FROM plans);"
		"DELETE FROM branches WHERE experiment NOT IN (SELECT seq FROM experiments);"
		"DELETE FROM stages WHERE pipeline NOT IN (SELECT seq FROM pipelines);";
	/* clang-format on */

	return db_exec(s, sql, e);
}

int rebuild_salvage(struct store_rebuild *b, struct store *old, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	/* Blocks are made from runs. */
	int r = db_prepare(b->store, &stmt, e,
			   "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' "
			   "AND name <> 'run_blocks'",
			   "");

	while (r >= 0 && (r = db_next(b->store, stmt, e)) > 0) {
		char name[64];

		db_text(stmt, 0, name, sizeof(name));
		r = copy_table(b, old, name, e);
	}
	return r < 0 ? r : clean(b->store, e);
}
