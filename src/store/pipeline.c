/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of pipelines, of their stages, and of approvals. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

static int read_stage(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_stage *stage = ret;

	(void)s;
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

static void finish_stage(void *row)
{
	struct store_stage *stage = row;

	free(stage->name);
	free(stage->why);
	free(stage->detail);
}

static const struct db_rows stages = { "stages", NULL, sizeof(struct store_stage), read_stage, finish_stage };

void store_pipeline_finish(struct store_pipeline *p)
{
	db_list_finish(&stages, p->stages, p->n_stages);
	free(p->project);
	free(p->rules);
	*p = (struct store_pipeline){ 0 };
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

#define COLUMNS "id, box, box_name, snapshot, project, rules, owner, yes, back, created_ms, conflict"

/* With its stages. */
static int read_pipeline(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *below = NULL;
	struct store_pipeline *p = ret;
	int r;

	*p = (struct store_pipeline){ .project = db_copy_text(stmt, 4),
				      .rules = db_copy_text(stmt, 5),
				      .yes = sqlite3_column_int64(stmt, 7) != 0,
				      .back = sqlite3_column_int64(stmt, 8) != 0,
				      .created_ms = sqlite3_column_int64(stmt, 9) };
	if (!p->project || !p->rules)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a pipeline");
	db_text(stmt, 0, p->id, sizeof(p->id));
	db_text(stmt, 1, p->box, sizeof(p->box));
	db_text(stmt, 2, p->box_name, sizeof(p->box_name));
	db_text(stmt, 3, p->snapshot, sizeof(p->snapshot));
	db_text(stmt, 6, p->owner, sizeof(p->owner));
	db_text(stmt, 10, p->conflict, sizeof(p->conflict));
	r = db_prepare(s, &below, e,
		       "SELECT name, state, promotion, why, detail, begun_ms, ended_ms FROM stages "
		       "WHERE pipeline = (SELECT seq FROM pipelines WHERE id = ?) ORDER BY n",
		       "s", p->id);
	return db_list(s, r, below, &stages, &p->stages, &p->n_stages, e);
}

static void finish_pipeline(void *row)
{
	store_pipeline_finish(row);
}

static const struct db_rows pipelines = { "pipelines", COLUMNS, sizeof(struct store_pipeline), read_pipeline,
					  finish_pipeline };

void store_pipeline_list_finish(struct store_pipeline *list, size_t n)
{
	db_list_finish(&pipelines, list, n);
}

int store_pipeline_find(struct store *s, const char *key, const char *owner, struct store_pipeline *ret,
			struct aisbx_error *e)
{
	return db_find(s, &pipelines, key, owner, ret, e);
}

int store_pipeline_list(struct store *s, const char *project, const char *owner, int64_t limit,
			struct store_pipeline **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(
		s, &stmt, e,
		"SELECT " COLUMNS
		" FROM pipelines WHERE (?1 IS NULL OR project = ?1) AND (?2 IS NULL OR owner = ?2) "
		"ORDER BY seq DESC LIMIT ?3",
		"ssi", project, owner, limit);

	return db_list(s, r, stmt, &pipelines, ret, ret_n, e);
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
