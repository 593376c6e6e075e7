/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of templates: prepared boxes, each owner's own, and the person's for everybody. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

#define COLUMNS "owner, name, layer, image, profile, created_ms, project, settings, recipe, lock"

void store_template_finish(struct store_template *t)
{
	free(t->project);
	free(t->settings);
	free(t->recipe);
	free(t->lock);
	t->project = t->settings = t->recipe = t->lock = NULL;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

int store_template_add(struct store *s, const struct store_template *t, struct aisbx_error *e)
{
	int r = db_change(s, e, "INSERT INTO templates (" COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?)",
			  "sssssissss", t->owner, t->name, t->layer, t->image, t->profile, t->created_ms,
			  t->project, or_empty(t->settings), or_empty(t->recipe), or_empty(t->lock));

	if (r == -EEXIST)
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_STORE, EEXIST,
				    "there already is a template '%s'; 'aisbx template rm %s' removes it",
				    t->name, t->name);
	return r < 0 ? r : db_touch(s, DB_LAYER, t->layer, e);
}

static int read_template(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_template *t = ret;
	bool has_project = sqlite3_column_type(stmt, 6) != SQLITE_NULL;

	(void)s;
	*t = (struct store_template){ .created_ms = sqlite3_column_int64(stmt, 5),
				      .project = has_project ? db_copy_text(stmt, 6) : NULL,
				      .settings = db_copy_text(stmt, 7),
				      .recipe = db_copy_text(stmt, 8),
				      .lock = db_copy_text(stmt, 9) };
	db_text(stmt, 0, t->owner, sizeof(t->owner));
	db_text(stmt, 1, t->name, sizeof(t->name));
	db_text(stmt, 2, t->layer, sizeof(t->layer));
	db_text(stmt, 3, t->image, sizeof(t->image));
	db_text(stmt, 4, t->profile, sizeof(t->profile));
	return (has_project && !t->project) || !t->settings || !t->recipe || !t->lock
		       ? aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a template")
		       : 0;
}

static void finish_template(void *row)
{
	store_template_finish(row);
}

static const struct db_rows templates = { "templates", NULL, sizeof(struct store_template), read_template,
					  finish_template };

void store_template_list_finish(struct store_template *list, size_t n)
{
	db_list_finish(&templates, list, n);
}

int store_template_missing(const char *name, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
			    "there is no template '%.100s'; 'aisbx template ls' lists them", name);
}

int store_template_find(struct store *s, const char *owner, const char *name, struct store_template *ret,
			struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   "SELECT " COLUMNS
			   " FROM templates WHERE name = ?2 AND owner IN (?1, '') ORDER BY owner "
			   "= ?1 DESC LIMIT 1",
			   "ss", owner, name);
	struct store_template found = { 0 };

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r < 0)
		return r;
	if (r == 0)
		return store_template_missing(name, e);
	r = read_template(s, stmt, &found, e);
	if (r < 0)
		store_template_finish(&found);
	else
		*ret = found;
	return r;
}

int store_template_list(struct store *s, const char *owner, struct store_template **ret, size_t *ret_n,
			struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   "SELECT " COLUMNS
			   " FROM templates WHERE ?1 IS NULL OR owner IN (?1, '') ORDER BY name, "
			   "owner",
			   "s", owner);

	return db_list(s, r, stmt, &templates, ret, ret_n, e);
}

int store_template_remove(struct store *s, const char *owner, const char *name, struct aisbx_error *e)
{
	struct store_template t = { 0 };
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	r = store_template_find(s, owner, name, &t, e);
	if (r == 0 && strcmp(t.owner, owner) != 0)
		r = store_template_missing(name, e);
	if (r == 0)
		r = db_touch(s, DB_LAYER, t.layer, e);
	if (r == 0)
		r = db_change(s, e, "DELETE FROM templates WHERE owner = ? AND name = ?", "ss", owner, name);
	store_template_finish(&t);
	return db_end(s, own, r, e);
}
