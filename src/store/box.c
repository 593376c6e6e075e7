/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of boxes and snapshots. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/give.h"
#include "store/store.h"

#define BOX_COLUMNS                                                                              \
	"b.id, b.name, b.top, b.profile, b.project, b.created_ms, b.expires_ms, b.watermark_s, " \
	"b.watermark_ns, "                                                                       \
	"b.autosnap, b.owner, b.shared, (SELECT count(*) FROM snapshots s WHERE s.box = b.id), " \
	"b.project_dev, b.project_ino, b.project_born, b.image"

void store_box_finish(struct store_box *b)
{
	free(b->project);
	b->project = NULL;
}

int store_box_add(struct store *s, const struct store_box *b, struct aisbx_error *e)
{
	int r = db_change(
		s, e,
		"INSERT INTO boxes (id, name, top, profile, project, created_ms, expires_ms, watermark_s, "
		"watermark_ns, autosnap, owner, shared, project_dev, project_ino, project_born, image) "
		"VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		"sssssiiiiisiiiis", b->id, b->name, b->top, b->profile, b->project, b->created_ms,
		b->expires_ms, b->watermark_s, b->watermark_ns, (int64_t)b->autosnap, b->owner,
		(int64_t)b->shared, b->place.dev, b->place.ino, b->place.born, b->image);

	if (r == 0)
		r = db_touch(s, DB_LAYER, b->top, e);
	return r == -EEXIST ? aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_STORE, EEXIST,
					   "there already is a box '%s'; 'aisbx run --box %s -- COMMAND' "
					   "uses it, 'aisbx rm "
					   "%s' removes it",
					   b->name, b->name, b->name)
			    : r;
}

int store_box_has_name(struct store *s, const char *owner, const char *name, bool *ret, struct aisbx_error *e)
{
	int64_t n = 0;
	int r = db_number(s, &n, e, "SELECT count(*) FROM boxes WHERE owner = ? AND name = ?", "ss", owner,
			  name);

	*ret = n > 0;
	return r;
}

static int read_box(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_box b = { .created_ms = sqlite3_column_int64(stmt, 5),
			       .expires_ms = sqlite3_column_int64(stmt, 6),
			       .watermark_s = sqlite3_column_int64(stmt, 7),
			       .watermark_ns = sqlite3_column_int64(stmt, 8),
			       .autosnap = sqlite3_column_int(stmt, 9),
			       .shared = sqlite3_column_int(stmt, 11),
			       .snapshots = sqlite3_column_int64(stmt, 12),
			       .place = { sqlite3_column_int64(stmt, 13), sqlite3_column_int64(stmt, 14),
					  sqlite3_column_int64(stmt, 15) } };
	const char *project = (const char *)sqlite3_column_text(stmt, 4);

	db_text(stmt, 0, b.id, sizeof(b.id));
	db_text(stmt, 1, b.name, sizeof(b.name));
	db_text(stmt, 2, b.top, sizeof(b.top));
	db_text(stmt, 3, b.profile, sizeof(b.profile));
	db_text(stmt, 10, b.owner, sizeof(b.owner));
	db_text(stmt, 16, b.image, sizeof(b.image));
	(void)s;
	if (project && !(b.project = strdup(project)))
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a box");
	*(struct store_box *)ret = b;
	return 0;
}

int store_box_missing(const char *key, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
			    "there is no box '%s'; 'aisbx ls --all' lists them", key);
}

/* The first row of SQL, and whether there is a second: 0 none, 1, 2, or an error. */
static int look_for(struct store *s, const char *sql, const char *key, const char *owner,
		    struct store_box *ret_box, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e, sql, "ss", key, owner), more;

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r <= 0)
		return r;
	r = read_box(s, stmt, ret_box, e);
	if (r < 0)
		return r;
	more = db_next(s, stmt, e);
	if (more != 0)
		store_box_finish(ret_box);
	return more < 0 ? more : 1 + more;
}

/* Where to look for a KEY, one after the other; ?2 is who looks, and "" the person. Each is one step in an
 * index. */
static const char *const places[] = {
	"SELECT " BOX_COLUMNS " FROM boxes b WHERE b.id = ?1 AND (?2 = '' OR b.owner = ?2 OR b.shared)",
	"SELECT " BOX_COLUMNS " FROM boxes b WHERE b.owner = ?2 AND b.name = ?1",
};
static const char of_others[] = "SELECT " BOX_COLUMNS " FROM boxes b WHERE b.name = ?1 AND ?2 = '' LIMIT 2";
static const char shared_by_others[] =
	"SELECT " BOX_COLUMNS " FROM boxes b WHERE b.shared AND b.name = ?1 AND ?2 <> '' LIMIT 2";

/* OWNER/NAME; what is before the slash is empty for the person's own. */
static int find_spelled_out(struct store *s, const char *key, const char *slash, const char *viewer,
			    struct store_box *ret_box, struct aisbx_error *e)
{
	char owner[STORE_NAME_MAX + 1];
	int r = 0;

	if ((size_t)(slash - key) <= STORE_NAME_MAX) {
		snprintf(owner, sizeof(owner), "%.*s", (int)(slash - key), key);
		r = look_for(s, places[1], slash + 1, owner, ret_box, e);
	}
	if (r == 1 && viewer && !ret_box->shared && strcmp(ret_box->owner, viewer) != 0) {
		store_box_finish(ret_box);
		r = 0;
	}
	return r < 0 ? r : r == 0 ? store_box_missing(key, e) : 0;
}

int store_box_find_for(struct store *s, const char *key, const char *viewer, struct store_box *ret_box,
		       struct aisbx_error *e)
{
	const char *slash = strchr(key, '/'), *who = viewer ? viewer : "";
	struct store_box found = { 0 };
	int r = 0;

	if (slash) {
		r = find_spelled_out(s, key, slash, viewer, &found, e);
		r = r < 0 ? r : 1;
	}
	for (size_t i = 0; r == 0 && i < sizeof(places) / sizeof(*places); i++)
		r = look_for(s, places[i], key, who, &found, e);
	if (r == 0)
		r = look_for(s, viewer ? shared_by_others : of_others, key, who, &found, e);
	if (r < 0)
		return r;
	if (r == 0)
		return store_box_missing(key, e);
	if (r > 1)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "more than one owner has a box '%s'; give OWNER/%s or its id, as listed "
				    "by 'aisbx ls'",
				    key, key);
	*ret_box = found;
	return 0;
}

int store_box_find(struct store *s, const char *key, struct store_box *ret_box, struct aisbx_error *e)
{
	return store_box_find_for(s, key, NULL, ret_box, e);
}

static void finish_box(void *row)
{
	store_box_finish(row);
}

static const struct db_rows boxes = { "boxes", NULL, sizeof(struct store_box), read_box, finish_box };

int store_box_list(struct store *s, struct store_box **ret_boxes, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e, "SELECT " BOX_COLUMNS " FROM boxes b ORDER BY b.created_ms, b.id",
			   "");

	return db_list(s, r, stmt, &boxes, ret_boxes, ret_n, e);
}

/* What is said of it in its top layer counts: of its snapshots' manifests none is written. */
static int touch_top(struct store *s, const char *id, struct aisbx_error *e)
{
	return db_touch_all(s, DB_LAYER, e, "SELECT top FROM boxes WHERE id = ?1", id);
}

int store_box_rename(struct store *s, const char *id, const char *name, struct aisbx_error *e)
{
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	r = db_change(s, e, "UPDATE boxes SET name = ? WHERE id = ?", "ss", name, id);
	if (r == -EEXIST)
		r = aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_STORE, EEXIST,
				 "there already is a box '%s'", name);
	if (r == 0)
		r = touch_top(s, id, e);
	return db_end(s, own, r, e);
}

int store_box_give(struct store *s, const char *id, const char *owner, const char *name,
		   struct aisbx_error *e)
{
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	r = db_change(s, e, "UPDATE boxes SET owner = ?, name = ? WHERE id = ?", "sss", owner, name, id);
	if (r == -EEXIST)
		r = aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_STORE, EEXIST,
				 "there already is a box '%s'; give another name", name);
	if (r == 0)
		r = touch_top(s, id, e);
	return db_end(s, own, r, e);
}

int store_box_move(struct store *s, const char *id, const char *project, const struct store_place *place,
		   struct aisbx_error *e)
{
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	r = db_change(s, e,
		      "UPDATE boxes SET project = ?, project_dev = ?, project_ino = ?, project_born = ? "
		      "WHERE id = ?",
		      "siiis", project, place->dev, place->ino, place->born, id);
	if (r == 0)
		r = touch_top(s, id, e);
	return db_end(s, own, r, e);
}

int store_box_settle(struct store *s, const char *id, const char *name, struct aisbx_error *e)
{
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	r = store_box_rename(s, id, name, e);
	if (r == 0)
		r = store_box_set_expiry(s, id, 0, e);
	return db_end(s, own, r, e);
}

int store_box_set_expiry(struct store *s, const char *id, int64_t expires_ms, struct aisbx_error *e)
{
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	r = db_change(s, e, "UPDATE boxes SET expires_ms = ? WHERE id = ?", "is", expires_ms, id);
	if (r == 0)
		r = touch_top(s, id, e);
	return db_end(s, own, r, e);
}

int store_box_set_top(struct store *s, const char *id, const char *layer, struct aisbx_error *e)
{
	int r = touch_top(s, id, e); /* the old one, which speaks of the box no more */

	if (r == 0)
		r = db_change(s, e, "UPDATE boxes SET top = ? WHERE id = ?", "ss", layer, id);
	return r < 0 ? r : db_touch(s, DB_LAYER, layer, e);
}

int store_box_remove(struct store *s, const char *id, struct aisbx_error *e)
{
	int r = db_free_layers(
		s, e, "SELECT top FROM boxes WHERE id = ?1 UNION SELECT layer FROM snapshots WHERE box = ?1",
		id);

	return r < 0 ? r : db_change(s, e, "DELETE FROM boxes WHERE id = ?", "s", id);
}

int store_snapshot_add(struct store *s, const struct store_snapshot *snap, struct aisbx_error *e)
{
	int r = db_change(s, e,
			  "INSERT INTO snapshots (id, box, name, layer, created_ms, automatic, seq) VALUES "
			  "(?,?,?,?,?,?,"
			  "(SELECT coalesce(max(seq), 0) + 1 FROM snapshots))",
			  "ssssii", snap->id, snap->box, snap->name, snap->layer, snap->created_ms,
			  (int64_t)snap->automatic);

	if (r == 0)
		r = db_touch(s, DB_LAYER, snap->layer, e);
	return r == -EEXIST ? aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_STORE, EEXIST,
					   "this box already has a snapshot '%s'", snap->name)
			    : r;
}

static int read_snapshot(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_snapshot *snap = ret;

	(void)s, (void)e;
	db_text(stmt, 0, snap->id, sizeof(snap->id));
	db_text(stmt, 1, snap->box, sizeof(snap->box));
	db_text(stmt, 2, snap->name, sizeof(snap->name));
	db_text(stmt, 3, snap->layer, sizeof(snap->layer));
	snap->created_ms = sqlite3_column_int64(stmt, 4);
	snap->automatic = sqlite3_column_int(stmt, 5);
	return 0;
}

static const struct db_rows snapshots = { "snapshots", NULL, sizeof(struct store_snapshot), read_snapshot,
					  NULL };

#define SNAPSHOT_COLUMNS "id, box, name, layer, created_ms, automatic"

static int no_snapshot(struct store *s, const char *box, const char *key, struct aisbx_error *e)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	scoped(strlist_finish) struct strlist names = { 0 };
	const char *near;
	int r = db_prepare(s, &stmt, &ignored,
			   "SELECT name FROM snapshots WHERE box = ?1 ORDER BY created_ms DESC LIMIT 1000",
			   "s", box);

	while (r == 0 && db_next(s, stmt, &ignored) == 1)
		strlist_add(&names, (const char *)sqlite3_column_text(stmt, 0));
	near = str_nearest(key, (const char *const *)names.items, names.n);
	aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT, "this box has no snapshot '%.100s'",
		     key);
	return near      ? aisbx_hint(e, "did you mean '%s'?", near)
	       : names.n ? aisbx_hint(e, "'aisbx tree' shows them")
			 : aisbx_hint(e, "it has none yet; 'aisbx snap BOX' takes one");
}

int store_snapshot_find(struct store *s, const char *box, const char *key, struct store_snapshot *ret,
			struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   "SELECT " SNAPSHOT_COLUMNS
			   " FROM snapshots WHERE box = ?1 AND (name = ?2 OR id = ?2)",
			   "ss", box, key);

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r < 0)
		return r;
	if (r == 0)
		return no_snapshot(s, box, key, e);
	return read_snapshot(s, stmt, ret, e);
}

int store_snapshot_list(struct store *s, const char *box, struct store_snapshot **ret, size_t *ret_n,
			struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   "SELECT " SNAPSHOT_COLUMNS
			   " FROM snapshots WHERE ?1 IS NULL OR box = ?1 ORDER BY seq",
			   "s", box);

	return db_list(s, r, stmt, &snapshots, ret, ret_n, e);
}
