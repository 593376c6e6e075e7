/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of promotions, and of the artifacts they promoted. These are on disk when the call returns. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

int store_sync(struct store *s, struct aisbx_error *e)
{
	return db_exec(s, "PRAGMA synchronous=FULL", e);
}

int store_flush(struct store *s, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int fd = -1;

	if (asprintf(&path, "%s/store.db-wal", s->dir) < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "write the store to the disk");
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) /* then the database has it, synced; or it comes to the disk a little later */
		return 0;
	return fdatasync(fd) < 0 ? aisbx_fail(e, AISBX_AREA_STORE, errno,
					      "it is done, but '%s' was not written to the disk", path)
				 : 0;
}

void store_promotion_finish(struct store_promotion *p)
{
	free(p->target);
	p->target = NULL;
}

int store_promotion_put(struct store *s, const struct store_promotion *p, struct aisbx_error *e)
{
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	r = db_change(s, e,
		      "INSERT INTO promotions (id, box, box_name, target, state, created_ms, changes, owner) "
		      "VALUES (?,?,?,?,?,?,?,?) "
		      "ON CONFLICT (id) DO UPDATE SET state = excluded.state",
		      "sssssiis", p->id, p->box, p->box_name, p->target, p->state, p->created_ms, p->changes,
		      p->owner);
	if (r == 0)
		r = db_touch(s, DB_PROMOTION, p->id, e);
	return db_end(s, own, r, e);
}

#define COLUMNS "id, box, box_name, target, state, created_ms, changes, owner"

static int read_promotion(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_promotion p = { .created_ms = sqlite3_column_int64(stmt, 5),
				     .changes = sqlite3_column_int64(stmt, 6) };
	const char *target = (const char *)sqlite3_column_text(stmt, 3);

	db_text(stmt, 0, p.id, sizeof(p.id));
	db_text(stmt, 1, p.box, sizeof(p.box));
	db_text(stmt, 2, p.box_name, sizeof(p.box_name));
	db_text(stmt, 4, p.state, sizeof(p.state));
	db_text(stmt, 7, p.owner, sizeof(p.owner));
	(void)s;
	p.target = strdup(target ? target : "");
	if (!p.target)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a promotion");
	*(struct store_promotion *)ret = p;
	return 0;
}

static void finish_promotion(void *row)
{
	store_promotion_finish(row);
}

static const struct db_rows promotions = { "promotions", NULL, sizeof(struct store_promotion), read_promotion,
					   finish_promotion };

int store_promotion_missing(const char *id, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
			    "there is no promotion '%s'; 'aisbx history --events' lists them", id);
}

int store_promotion_find(struct store *s, const char *id, struct store_promotion *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(
		s, &stmt, e,
		id ? "SELECT " COLUMNS " FROM promotions WHERE id = ?1"
		   : "SELECT " COLUMNS
		     " FROM promotions WHERE state = 'done' AND ?1 IS NULL ORDER BY seq DESC LIMIT 1",
		"s", id);

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r < 0)
		return r;
	if (r == 0 && id)
		return store_promotion_missing(id, e);
	if (r == 0)
		return aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
			"there is no promotion that can be undone; 'aisbx promote BOX' makes one");
	return read_promotion(s, stmt, ret, e);
}

int store_promotion_list(struct store *s, struct store_promotion **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e, "SELECT " COLUMNS " FROM promotions ORDER BY seq", "");

	return db_list(s, r, stmt, &promotions, ret, ret_n, e);
}

int store_promoted_file_put(struct store *s, const struct store_promoted_file *a, struct aisbx_error *e)
{
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	r = db_change(
		s, e,
		"INSERT INTO artifacts (path, promotion, source, dev, ino, size, mtime_s, mtime_ns) VALUES "
		"(?,?,?,?,?,?,?,?) ON CONFLICT (path, dev, ino) DO UPDATE SET promotion = "
		"excluded.promotion, "
		"source = excluded.source, size = excluded.size, mtime_s = excluded.mtime_s, "
		"mtime_ns = excluded.mtime_ns",
		"sssiiiii", a->path, a->promotion, a->source, a->dev, a->ino, a->size, a->mtime_s,
		a->mtime_ns);
	if (r == 0)
		r = db_touch(s, DB_PROMOTION, a->promotion, e);
	return db_end(s, own, r, e);
}

int store_promoted_file_find(struct store *s, const struct store_promoted_file *a,
			     char ret_promotion[STORE_ID_MAX], struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(
		s, &stmt, e,
		"SELECT promotion FROM artifacts WHERE path = ? AND source = ? AND dev = ? AND ino = ? AND "
		"((size = ? AND mtime_s = ? AND mtime_ns = ?) OR ?)",
		"ssiiiiii", a->path, a->source, a->dev, a->ino, a->size, a->mtime_s, a->mtime_ns,
		(int64_t)a->is_dir);

	ret_promotion[0] = '\0';
	if (r == 0)
		r = db_next(s, stmt, e);
	if (r > 0)
		db_text(stmt, 0, ret_promotion, STORE_ID_MAX);
	return r < 0 ? r : 0;
}
