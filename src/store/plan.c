/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of plans and of their steps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

static int read_step(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_step *step = ret;

	(void)s;
	*step = (struct store_step){ .exit_code = sqlite3_column_type(stmt, 3) == SQLITE_NULL
							  ? -1
							  : sqlite3_column_int64(stmt, 3),
				     .begun_ms = sqlite3_column_int64(stmt, 5),
				     .ended_ms = sqlite3_column_int64(stmt, 6),
				     .what = db_copy_text(stmt, 0),
				     .note = db_copy_text(stmt, 4) };
	db_text(stmt, 1, step->state, sizeof(step->state));
	db_text(stmt, 2, step->run, sizeof(step->run));
	return step->what && step->note ? 0 : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a plan");
}

static void finish_step(void *row)
{
	struct store_step *step = row;

	free(step->what);
	free(step->note);
}

static const struct db_rows steps = { "plan_steps", NULL, sizeof(struct store_step), read_step, finish_step };

void store_plan_finish(struct store_plan *p)
{
	db_list_finish(&steps, p->steps, p->n_steps);
	free(p->goal);
	free(p->project);
	*p = (struct store_plan){ 0 };
}

int store_plan_add(struct store *s, const struct store_plan *p, struct aisbx_error *e)
{
	int r = db_change(
		s, e, "INSERT INTO plans (id, goal, box, project, owner, created_ms) VALUES (?,?,?,?,?,?)",
		"sssssi", p->id, p->goal, p->box, p->project, p->owner, p->created_ms);

	for (size_t i = 0; r == 0 && i < p->n_steps; i++)
		r = db_change(s, e,
			      "INSERT INTO plan_steps (plan, n, what, state) VALUES ((SELECT seq FROM plans "
			      "WHERE id = ?), ?, ?, 'pending')",
			      "sis", p->id, (int64_t)i + 1, p->steps[i].what);
	return r;
}

#define COLUMNS "id, goal, box, project, owner, created_ms"

/* With its steps. */
static int read_plan(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *below = NULL;
	struct store_plan *p = ret;
	int r;

	p->created_ms = sqlite3_column_int64(stmt, 5);
	p->goal = db_copy_text(stmt, 1);
	p->project = db_copy_text(stmt, 3);
	if (!p->goal || !p->project)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a plan");
	db_text(stmt, 0, p->id, sizeof(p->id));
	db_text(stmt, 2, p->box, sizeof(p->box));
	db_text(stmt, 4, p->owner, sizeof(p->owner));
	r = db_prepare(s, &below, e,
		       "SELECT what, state, run, exit_code, note, begun_ms, ended_ms FROM plan_steps "
		       "WHERE plan = (SELECT seq FROM plans WHERE id = ?) ORDER BY n",
		       "s", p->id);
	return db_list(s, r, below, &steps, &p->steps, &p->n_steps, e);
}

static void finish_plan(void *row)
{
	store_plan_finish(row);
}

static const struct db_rows plans = { "plans", COLUMNS, sizeof(struct store_plan), read_plan, finish_plan };

void store_plan_list_finish(struct store_plan *list, size_t n)
{
	db_list_finish(&plans, list, n);
}

int store_plan_find(struct store *s, const char *key, const char *owner, struct store_plan *ret,
		    struct aisbx_error *e)
{
	return db_find(s, &plans, key, owner, ret, e);
}

int store_plan_list(struct store *s, const struct store_plan_filter *f, struct store_plan **ret,
		    size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(
		s, &stmt, e,
		"SELECT " COLUMNS
		" FROM plans WHERE (?1 IS NULL OR owner = ?1) AND (?2 IS NULL OR instr(goal, ?2) OR "
		"EXISTS (SELECT 1 FROM plan_steps WHERE plan = plans.seq AND instr(what, ?2))) ORDER "
		"BY seq DESC LIMIT ?3",
		"ssi", f->owner, f->match, f->limit);

	return db_list(s, r, stmt, &plans, ret, ret_n, e);
}

int store_plan_remove(struct store *s, const char *id, struct aisbx_error *e)
{
	return db_change(s, e, "DELETE FROM plans WHERE id = ?", "s", id);
}

int store_step_move(struct store *s, const char *plan, size_t n, const char *from,
		    const struct store_step *to, bool *ret_moved, struct aisbx_error *e)
{
	int r = db_change(s, e,
			  "UPDATE plan_steps SET state = ?, run = ?, exit_code = nullif(?, -1), note = ?, "
			  "begun_ms = ?, ended_ms = ? "
			  "WHERE plan = (SELECT seq FROM plans WHERE id = ?) AND n = ? AND state = ?",
			  "ssisiisis", to->state, to->run, to->exit_code, to->note, to->begun_ms,
			  to->ended_ms, plan, (int64_t)n, from);

	*ret_moved = r == 0 && sqlite3_changes(s->db) > 0;
	return r;
}
