/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of artifacts that people saved. Not those of promotions, which are in the table `artifacts`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

#define COLUMNS                                                                                          \
	"id, name, note, box, box_name, run, path, type, sha256, size, files, media, mode, created_ms, " \
	"owner"

void store_saved_artifact_finish(struct store_saved_artifact *s)
{
	free(s->note);
	free(s->path);
	s->note = s->path = NULL;
}

int store_saved_artifact_add(struct store *s, const struct store_saved_artifact *a, struct aisbx_error *e)
{
	int r = db_change(s, e, "INSERT INTO saved (" COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			  "sssssssssiisiis", a->id, a->name, a->note, a->box, a->box_name, a->run, a->path,
			  a->type, a->sha256, a->size, a->files, a->media, a->mode, a->created_ms, a->owner);

	return r < 0 ? r : db_touch(s, DB_SAVED, a->id, e);
}

static int read_saved(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_saved_artifact a = { .size = sqlite3_column_int64(stmt, 9),
					  .files = sqlite3_column_int64(stmt, 10),
					  .mode = sqlite3_column_int64(stmt, 12),
					  .created_ms = sqlite3_column_int64(stmt, 13) };
	const char *note = (const char *)sqlite3_column_text(stmt, 2),
		   *path = (const char *)sqlite3_column_text(stmt, 6);

	db_text(stmt, 0, a.id, sizeof(a.id));
	db_text(stmt, 1, a.name, sizeof(a.name));
	db_text(stmt, 3, a.box, sizeof(a.box));
	db_text(stmt, 4, a.box_name, sizeof(a.box_name));
	db_text(stmt, 5, a.run, sizeof(a.run));
	db_text(stmt, 7, a.type, sizeof(a.type));
	db_text(stmt, 8, a.sha256, sizeof(a.sha256));
	db_text(stmt, 11, a.media, sizeof(a.media));
	db_text(stmt, 14, a.owner, sizeof(a.owner));
	a.note = note ? strdup(note) : NULL;
	a.path = strdup(path ? path : "");
	(void)s;
	if ((note && !a.note) || !a.path) {
		store_saved_artifact_finish(&a);
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read an artifact");
	}
	*(struct store_saved_artifact *)ret = a;
	return 0;
}

static void finish_saved(void *row)
{
	store_saved_artifact_finish(row);
}

static const struct db_rows saved = { "artifacts", NULL, sizeof(struct store_saved_artifact), read_saved,
				      finish_saved };

void store_saved_artifact_list_finish(struct store_saved_artifact *list, size_t n)
{
	db_list_finish(&saved, list, n);
}

int store_saved_artifact_find(struct store *s, const char *key, const char *owner,
			      struct store_saved_artifact *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   "SELECT " COLUMNS
			   " FROM saved WHERE (id = ?1 OR name = ?1) AND (?2 IS NULL OR owner = ?2) "
			   "ORDER BY id = ?1 DESC, seq DESC LIMIT 1",
			   "ss", key, owner);

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r < 0)
		return r;
	return r ? read_saved(s, stmt, ret, e)
		 : aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
				"there is no artifact '%s'; 'aisbx artifact ls' lists them", key);
}

int store_saved_artifact_list(struct store *s, const char *box, const char *owner,
			      struct store_saved_artifact **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(
		s, &stmt, e,
		"SELECT " COLUMNS
		" FROM saved WHERE (?1 IS NULL OR box = ?1 OR box_name = ?1) AND (?2 IS NULL OR owner = ?2) "
		"ORDER BY seq DESC",
		"ss", box, owner);

	return db_list(s, r, stmt, &saved, ret, ret_n, e);
}

int store_saved_artifact_remove(struct store *s, const char *id, struct aisbx_error *e)
{
	int r = db_touch(s, DB_SAVED, id, e);

	return r < 0 ? r : db_change(s, e, "DELETE FROM saved WHERE id = ?", "s", id);
}

int store_saved_artifact_count(struct store *s, const char *sha256, int64_t *ret, struct aisbx_error *e)
{
	return db_number(s, ret, e, "SELECT count(*) FROM saved WHERE sha256 = ?", "s", sha256);
}

int store_saved_artifact_total(struct store *s, int64_t *ret, struct aisbx_error *e)
{
	return db_number(s, ret, e,
			 "SELECT coalesce(sum(size), 0) FROM (SELECT DISTINCT sha256, size FROM saved)", "");
}
