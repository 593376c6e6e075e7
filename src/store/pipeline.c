/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of pipelines, of their stages, and of what people said of those. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

void store_pipeline_finish(struct store_pipeline *p)
{
	for (size_t i = 0; i < p->n_stages; i++) {
		free(p->stages[i].name);
		free(p->stages[i].why);
		free(p->stages[i].detail);
	}
	free(p->stages);
	free(p->project);
	free(p->rules);
	*p = (struct store_pipeline){ 0 };
}

void store_pipeline_list_finish(struct store_pipeline *list, size_t n)
{
	while (n)
		store_pipeline_finish(&list[--n]);
	free(list);
}

void store_approval_finish(struct store_approval *a)
{
	free(a->note);
	*a = (struct store_approval){ 0 };
}

int store_pipeline_add(struct store *s, const struct store_pipeline *p, struct aisbx_error *e)
{
	int r = db_change(s, e,
			  "INSERT INTO pipelines (id, box, box_name, snapshot, project, rules, owner, yes, "
			  "conflict, back, created_ms) "
			  "VALUES (?,?,?,?,?,?,?,?,?,0,?)",
			  "sssssssisi", p->id, p->box, p->box_name, p->snapshot, p->project, p->rules,
			  p->owner, (int64_t)p->yes, p->conflict, p->created_ms);

	for (size_t i = 0; r == 0 && i < p->n_stages; i++)
		r = db_change(s, e,
			      "INSERT INTO stages (pipeline, n, name, state, promotion, why, detail, "
			      "begun_ms, ended_ms) VALUES "
			      "((SELECT seq FROM pipelines WHERE id = ?), ?, ?, ?, '', '', '{}', 0, 0)",
			      "siss", p->id, (int64_t)i, p->stages[i].name, p->stages[i].state);
	return r;
}

static int read_stage(sqlite3_stmt *stmt, struct store_pipeline *p, struct aisbx_error *e)
{
	struct store_stage *grown = realloc(p->stages, (p->n_stages + 1) * sizeof(*grown));
	struct store_stage *stage;

	if (!grown)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a pipeline");
	p->stages = grown;
	stage = &grown[p->n_stages++];
	*stage = (struct store_stage){ .name = db_copy_text(stmt, 0),
				       .why = db_copy_text(stmt, 3),
				       .detail = db_copy_text(stmt, 4),
				       .begun_ms = sqlite3_column_int64(stmt, 5),
				       .ended_ms = sqlite3_column_int64(stmt, 6) };
	db_text(stmt, 1, stage->state, sizeof(stage->state));
	db_text(stmt, 2, stage->promotion, sizeof(stage->promotion));
	return stage->name && stage->why && stage->detail
		       ? 0
		       : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a pipeline");
}

static int read_stages(struct store *s, struct store_pipeline *p, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   "SELECT name, state, promotion, why, detail, begun_ms, ended_ms FROM stages "
			   "WHERE pipeline = (SELECT seq FROM pipelines WHERE id = ?) ORDER BY n",
			   "s", p->id);

	while (r >= 0 && (r = db_next(s, stmt, e)) > 0)
		r = read_stage(stmt, p, e);
	return r;
}

#define COLUMNS "id, box, box_name, snapshot, project, rules, owner, yes, back, created_ms, conflict"

/* With its stages. */
static int read_pipeline(struct store *s, sqlite3_stmt *stmt, struct store_pipeline *ret,
			 struct aisbx_error *e)
{
	struct store_pipeline p = { .project = db_copy_text(stmt, 4),
				    .rules = db_copy_text(stmt, 5),
				    .yes = sqlite3_column_int64(stmt, 7) != 0,
				    .back = sqlite3_column_int64(stmt, 8) != 0,
				    .created_ms = sqlite3_column_int64(stmt, 9) };
	int r = p.project && p.rules ? 0 : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a pipeline");

	db_text(stmt, 0, p.id, sizeof(p.id));
	db_text(stmt, 1, p.box, sizeof(p.box));
	db_text(stmt, 2, p.box_name, sizeof(p.box_name));
	db_text(stmt, 3, p.snapshot, sizeof(p.snapshot));
	db_text(stmt, 6, p.owner, sizeof(p.owner));
	db_text(stmt, 10, p.conflict, sizeof(p.conflict));
	if (r == 0)
		r = read_stages(s, &p, e);
	if (r < 0)
		store_pipeline_finish(&p);
	else
		*ret = p;
	return r;
}

int store_pipeline_find(struct store *s, const char *key, const char *owner, struct store_pipeline *ret,
			struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	scoped(store_pipeline_finish) struct store_pipeline found = { 0 };
	int r = db_prepare(s, &stmt, e,
			   "SELECT " COLUMNS " FROM pipelines WHERE substr(id, 1, length(?1)) = ?1 AND "
			   "(?2 IS NULL OR owner = ?2) ORDER BY seq LIMIT 2",
			   "ss", key, owner);

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r == 0 || (r > 0 && !*key))
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
				    "there is no pipeline '%.60s'; 'aisbx pipeline ls' lists them", key);
	if (r > 0)
		r = read_pipeline(s, stmt, &found, e);
	if (r == 0)
		r = db_next(s, stmt, e);
	if (r > 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_STORE, EINVAL,
				    "several pipelines begin with '%.60s'; write more of it", key);
	if (r < 0)
		return r;
	*ret = found;
	found = (struct store_pipeline){ 0 };
	return 0;
}

int store_pipeline_list(struct store *s, const char *project, const char *owner, int64_t limit,
			struct store_pipeline **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	struct store_pipeline *list = NULL;
	size_t n = 0;
	int r = db_prepare(
		s, &stmt, e,
		"SELECT " COLUMNS
		" FROM pipelines WHERE (?1 IS NULL OR project = ?1) AND (?2 IS NULL OR owner = ?2) "
		"ORDER BY seq DESC LIMIT ?3",
		"ssi", project, owner, limit);

	while (r >= 0 && (r = db_next(s, stmt, e)) > 0) {
		struct store_pipeline *grown = realloc(list, (n + 1) * sizeof(*list));

		if (!grown) {
			r = aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "list pipelines");
			break;
		}
		list = grown;
		r = read_pipeline(s, stmt, &list[n], e);
		n += r == 0;
	}
	if (r < 0) {
		store_pipeline_list_finish(list, n);
		return r;
	}
	*ret = list;
	*ret_n = n;
	return 0;
}

int store_pipeline_turn(struct store *s, const char *id, struct aisbx_error *e)
{
	return db_change(s, e, "UPDATE pipelines SET back = 1 WHERE id = ?", "s", id);
}

int store_stage_move(struct store *s, const char *pipeline, size_t n, const char *from,
		     const struct store_stage *to, bool *ret_moved, struct aisbx_error *e)
{
	int r = db_change(
		s, e,
		"UPDATE stages SET state = ?, promotion = ?, why = ?, detail = ?, begun_ms = ?, ended_ms = ? "
		"WHERE pipeline = (SELECT seq FROM pipelines WHERE id = ?) AND n = ? AND state = ?",
		"ssssiisis", to->state, to->promotion, to->why, to->detail, to->begun_ms, to->ended_ms,
		pipeline, (int64_t)n, from);

	*ret_moved = r == 0 && sqlite3_changes(s->db) > 0;
	return r;
}

int store_approval_add(struct store *s, const char *pipeline, size_t stage, const struct store_approval *a,
		       struct aisbx_error *e)
{
	return db_change(s, e,
			 "INSERT INTO approvals (pipeline, stage, snapshot, approved, uid, name, way, note, "
			 "time_ms) VALUES "
			 "(?,?,?,?,?,?,?,?,?)",
			 "sisiisssi", pipeline, (int64_t)stage, a->snapshot, (int64_t)a->approved, a->uid,
			 a->name, a->way, a->note, a->time_ms);
}

int store_approval_find(struct store *s, const char *pipeline, size_t stage, const char *snapshot,
			struct store_approval *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	struct store_approval a = { 0 };
	int r = db_prepare(s, &stmt, e,
			   "SELECT approved, uid, name, way, note, time_ms FROM approvals WHERE pipeline = ? "
			   "AND stage = ? AND "
			   "snapshot = ? ORDER BY seq DESC LIMIT 1",
			   "sis", pipeline, (int64_t)stage, snapshot);

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	a.approved = sqlite3_column_int64(stmt, 0) != 0;
	a.uid = sqlite3_column_int64(stmt, 1);
	a.time_ms = sqlite3_column_int64(stmt, 5);
	a.note = db_copy_text(stmt, 4);
	snprintf(a.snapshot, sizeof(a.snapshot), "%s", snapshot);
	db_text(stmt, 2, a.name, sizeof(a.name));
	db_text(stmt, 3, a.way, sizeof(a.way));
	if (!a.note)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read an approval");
	*ret = a;
	return 0;
}
