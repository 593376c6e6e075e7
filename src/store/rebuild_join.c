/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Combines manifests and salvaged rows: the newer information about a box wins, and every row refers to an
 * existing layer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/rebuild.h"

/* Columns of TABLE as a list. */
static int columns_of(struct store *s, const char *table, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   "SELECT group_concat('\"' || name || '\"', ', ') FROM pragma_table_info(?)", "s",
			   table);

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r > 0)
		buf_addf(ret, "%s", (const char *)sqlite3_column_text(stmt, 0));
	return r < 0 ? r : buf_str(ret) ? 0 : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "rebuild the store");
}

/* "INSERT OR HOW INTO table SELECT its columns FROM found_table f WHERE ...". */
static int take(struct store *s, const char *how, const char *table, const char *where, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf columns = { 0 };
	scoped(buf_finish) struct buf sql = { 0 };
	int r = columns_of(s, table, &columns, e);

	if (r < 0)
		return r;
	buf_addf(&sql, "INSERT OR %s INTO %s SELECT %s FROM found_%s f WHERE %s", how, table, columns.data,
		 table, where);
	return buf_str(&sql) ? db_exec(s, sql.data, e)
			     : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "rebuild the store");
}

/*
 * A manifest is written with its rows: what it says is at least as new as what the store said then. A store
 * that went on without it (an older copy that was used) has events of the box that are newer.
 */
static int join_boxes(struct store_rebuild *b, struct aisbx_error *e)
{
	/* clang-format off */
	static const char pick[] =
		"CREATE TEMP TABLE picked AS SELECT id, max(said_at * 2 + said_top) AS best FROM "
		"found_boxes WHERE id GLOB '" ID("b") "' AND top GLOB '" ID("l")
		"' GROUP BY id;"
		"DELETE FROM found_boxes WHERE NOT EXISTS (SELECT 1 FROM picked p WHERE p.id = "
		"found_boxes.id AND p.best = said_at * 2 + said_top);"
		"DELETE FROM found_boxes WHERE EXISTS (SELECT 1 FROM boxes k WHERE k.id = found_boxes.id "
		"AND k.top IN (SELECT id FROM there) AND"
		" (SELECT coalesce(max(seq), 0) FROM events ev WHERE ev.box = k.id) > said_at);"
		"DELETE FROM found_boxes WHERE rowid NOT IN (SELECT min(rowid) FROM found_boxes GROUP BY "
		"id);"
		"DELETE FROM boxes WHERE id IN (SELECT id FROM found_boxes);"
		"UPDATE found_boxes SET name = id WHERE name GLOB '*[^A-Za-z0-9._-]*' OR name = '' OR "
		"length(name) > 64;";
	/* clang-format on */
	int r = db_exec(b->store, pick, e);

	if (r == 0)
		r = take(b->store, "IGNORE", "boxes", "1", e);
	/* A name that is taken: it gets its id for one. */
	if (r == 0)
		r = db_exec(b->store,
			    "UPDATE found_boxes SET name = id WHERE id NOT IN (SELECT id FROM boxes)", e);
	return r < 0 ? r : take(b->store, "IGNORE", "boxes", "id NOT IN (SELECT id FROM boxes)", e);
}

static int tell_each(struct store_rebuild *b, const char *sql, const char *before, const char *behind,
		     struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(b->store, &stmt, e, sql, "");

	while (r >= 0 && (r = db_next(b->store, stmt, e)) > 0)
		rebuild_tell(b, "%s '%s'%s", before, (const char *)sqlite3_column_text(stmt, 0), behind);
	return r;
}

/* Images and templates, the newest that is said of each; whose layer is gone is gone, too. */
static int join_images(struct store_rebuild *b, struct aisbx_error *e)
{
	/* clang-format off */
	int r = take(b->store, "REPLACE", "images", "id GLOB '" ID("i") "' ORDER BY said_at", e);

	if (r == 0)
		r = take(b->store, "REPLACE", "image_names", "1 ORDER BY said_at", e);
	if (r == 0)
		r = tell_each(b, "SELECT coalesce((SELECT name FROM image_names WHERE image = images.id "
			      "LIMIT 1), id) FROM images WHERE top NOT IN (SELECT id FROM layers)",
			      "image", " was not restored: its layers are gone", e);
	if (r == 0)
		r = take(b->store, "REPLACE", "image_layers", "1 ORDER BY said_at", e);
	if (r == 0)
		r = take(b->store, "REPLACE", "templates", "1 ORDER BY said_at", e);
	if (r == 0)
		r = tell_each(b, "SELECT name FROM templates WHERE layer NOT IN (SELECT id FROM layers)",
			      "template", " was not restored: its layer is gone", e);
	/* clang-format on */
	return r < 0 ? r
		     : db_exec(b->store,
			       "DELETE FROM images WHERE top NOT IN (SELECT id FROM layers WHERE frozen);"
			       "DELETE FROM image_names WHERE image NOT IN (SELECT id FROM images);"
			       "DELETE FROM image_layers WHERE layer NOT IN (SELECT id FROM layers WHERE "
			       "frozen);"
			       "DELETE FROM templates WHERE layer NOT IN (SELECT id FROM layers WHERE "
			       "frozen);",
			       e);
}

/* What stands on a layer that is gone stands on the machine alone; a circle is cut. */
static int mend_chains(struct store_rebuild *b, struct aisbx_error *e)
{
	int r = tell_each(
		b, "SELECT id FROM layers WHERE parent IS NOT NULL AND parent NOT IN (SELECT id FROM layers)",
		"layer", " was based on one that is gone: its changes are missing", e);

	return r < 0 ? r
		     : db_exec(b->store,
			       "UPDATE layers SET parent = NULL WHERE parent NOT IN (SELECT id FROM layers);"
			       "UPDATE layers SET stands_for = NULL WHERE stands_for NOT IN (SELECT id FROM "
			       "layers);"
			       "UPDATE layers SET parent = NULL WHERE id IN (WITH RECURSIVE r(a, b) AS "
			       "(SELECT id, parent FROM layers WHERE parent IS NOT NULL"
			       " UNION SELECT r.a, l.parent FROM r JOIN layers l ON l.id = r.b WHERE "
			       "l.parent IS NOT NULL) SELECT a FROM r WHERE a = b);",
			       e);
}

/* Boxes that cannot write where they stand, and where they can: on that, or on the newest snapshot. */
#define GROUND                                                                                             \
	"SELECT b.id, b.name, coalesce((SELECT id FROM layers WHERE id = b.top), (SELECT s.layer FROM "    \
	"snapshots s WHERE s.box = b.id"                                                                   \
	" ORDER BY s.seq DESC LIMIT 1)), (SELECT name FROM snapshots s WHERE s.box = b.id ORDER BY s.seq " \
	"DESC LIMIT 1),"                                                                                   \
	" b.top IN (SELECT id FROM layers) FROM boxes b WHERE b.top NOT IN (SELECT id FROM layers WHERE "  \
	"frozen = 0) OR"                                                                                   \
	" EXISTS (SELECT 1 FROM layers c WHERE c.parent = b.top) OR EXISTS (SELECT 1 FROM snapshots s "    \
	"WHERE s.layer = b.top) OR"                                                                        \
	" EXISTS (SELECT 1 FROM boxes o WHERE o.top = b.top AND o.id <> b.id)"

static int stand_on(struct store_rebuild *b, const char *box, const char *ground, struct aisbx_error *e)
{
	struct store_layer l = { 0 };
	int r = b->make_layer(b->make_ctx, l.id, e);

	snprintf(l.parent, sizeof(l.parent), "%s", ground);
	if (r == 0)
		r = store_layer_add(b->store, &l, e);
	return r < 0 ? r : db_change(b->store, e, "UPDATE boxes SET top = ? WHERE id = ?", "ss", l.id, box);
}

static int mend_tops(struct store_rebuild *b, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_exec(b->store, "CREATE TEMP TABLE unsound AS " GROUND, e);

	if (r == 0)
		r = db_prepare(b->store, &stmt, e, "SELECT * FROM unsound", "");
	while (r >= 0 && (r = db_next(b->store, stmt, e)) > 0) {
		const char *id = (const char *)sqlite3_column_text(stmt, 0),
			   *name = (const char *)sqlite3_column_text(stmt, 1),
			   *ground = (const char *)sqlite3_column_text(stmt, 2),
			   *snapshot = (const char *)sqlite3_column_text(stmt, 3);

		if (!ground) {
			rebuild_tell(b, "box '%s' was not restored: the layer with its changes is gone",
				     name);
			r = db_change(b->store, e, "DELETE FROM boxes WHERE id = ?", "s", id);
			continue;
		}
		if (!sqlite3_column_int(stmt, 4))
			rebuild_tell(b,
				     "box '%s' was restored from its snapshot '%s': the layer with later "
				     "changes is gone",
				     name, snapshot);
		r = stand_on(b, id, ground, e);
	}
	return r;
}

static int count(struct store_rebuild *b, const char *sql, size_t *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(b->store, &stmt, e, sql, "");

	if (r == 0)
		r = db_next(b->store, stmt, e);
	if (r > 0)
		*ret = (size_t)sqlite3_column_int64(stmt, 0);
	return r < 0 ? r : 0;
}

static int count_all(struct store_rebuild *b, struct aisbx_error *e)
{
	int r = count(b, "SELECT count(*) FROM boxes", &b->boxes, e);

	if (r == 0)
		r = count(b, "SELECT count(*) FROM snapshots", &b->snapshots, e);
	if (r == 0)
		r = count(b, "SELECT count(*) FROM promotions WHERE state = 'done'", &b->promotions, e);
	if (r == 0)
		r = count(b, "SELECT count(*) FROM saved", &b->artifacts, e);
	if (r == 0)
		r = count(b, "SELECT count(*) FROM images", &b->images, e);
	if (r == 0)
		r = count(b, "SELECT count(*) FROM templates", &b->templates, e);
	if (r == 0)
		r = count(b, "SELECT count(*) FROM runs", &b->runs, e);
	return r;
}

int rebuild_join(struct store_rebuild *b, struct aisbx_error *e)
{
	int r = take(b->store, "REPLACE", "layers", "1 ORDER BY said_at", e);

	if (r == 0)
		/* clang-format off */
		r = db_exec(b->store, "DELETE FROM layers WHERE id NOT IN (SELECT id FROM there)", e);
	if (r == 0)
		r = join_boxes(b, e);
	if (r == 0)
		r = take(b->store, "IGNORE", "snapshots", "id GLOB '" ID("s") "' ORDER BY said_at DESC", e);
	/* clang-format on */
	if (r == 0)
		r = tell_each(b, "SELECT name FROM snapshots WHERE layer NOT IN (SELECT id FROM layers)",
			      "snapshot", " was not restored: its layer is gone", e);
	if (r == 0)
		r = db_exec(b->store,
			    "DELETE FROM snapshots WHERE layer NOT IN (SELECT id FROM layers) OR box NOT IN "
			    "(SELECT id FROM boxes)",
			    e);
	if (r == 0)
		r = join_images(b, e);
	if (r == 0)
		r = mend_chains(b, e);
	if (r == 0)
		r = mend_tops(b, e);
	/* What nothing stands on any more had its record, which said so; gc puts it aside. */
	if (r == 0)
		r = db_exec(b->store,
			    "DELETE FROM snapshots WHERE box NOT IN (SELECT id FROM boxes);"
			    "DELETE FROM layers WHERE id NOT IN (WITH RECURSIVE need(id) AS (SELECT top FROM "
			    "boxes UNION SELECT layer FROM snapshots UNION SELECT top FROM images UNION "
			    "SELECT layer "
			    "FROM templates UNION"
			    " SELECT l.parent FROM layers l JOIN need n ON n.id = l.id WHERE l.parent IS NOT "
			    "NULL) SELECT id FROM need);"
			    "DELETE FROM image_layers WHERE layer NOT IN (SELECT id FROM layers);",
			    e);
	if (r == 0)
		r = tell_each(b, "SELECT id FROM there WHERE told = 0 AND id NOT IN (SELECT id FROM layers)",
			      "layer", " has no manifest, and its box is not known: it stays where it is", e);
	return r < 0 ? r : count_all(b, e);
}
