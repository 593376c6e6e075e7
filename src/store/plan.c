/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of plans and of their steps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

void store_plan_finish(struct store_plan *p)
{
	for (size_t i = 0; i < p->n_steps; i++) {
		free(p->steps[i].what);
		free(p->steps[i].note);
	}
	free(p->steps);
	free(p->goal);
	free(p->project);
	*p = (struct store_plan){ 0 };
}

void store_plan_list_finish(struct store_plan *list, size_t n)
{
	while (n)
		store_plan_finish(&list[--n]);
	free(list);
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

static int read_step(sqlite3_stmt *stmt, struct store_plan *p, struct aisbx_error *e)
{
	struct store_step *grown = realloc(p->steps, (p->n_steps + 1) * sizeof(*grown));
	struct store_step step = { .exit_code = sqlite3_column_type(stmt, 3) == SQLITE_NULL
							? -1
							: sqlite3_column_int64(stmt, 3),
				   .begun_ms = sqlite3_column_int64(stmt, 5),
				   .ended_ms = sqlite3_column_int64(stmt, 6),
				   .what = db_copy_text(stmt, 0),
				   .note = db_copy_text(stmt, 4) };

	if (grown)
		p->steps = grown;
	if (!grown || !step.what || !step.note) {
		free(step.what);
		free(step.note);
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a plan");
	}
	db_text(stmt, 1, step.state, sizeof(step.state));
	db_text(stmt, 2, step.run, sizeof(step.run));
	grown[p->n_steps++] = step;
	return 0;
}

static int read_steps(struct store *s, struct store_plan *p, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   "SELECT what, state, run, exit_code, note, begun_ms, ended_ms FROM plan_steps "
			   "WHERE plan = (SELECT seq FROM plans WHERE id = ?) ORDER BY n",
			   "s", p->id);

	while (r >= 0 && (r = db_next(s, stmt, e)) > 0)
		r = read_step(stmt, p, e);
	return r;
}

#define COLUMNS "id, goal, box, project, owner, created_ms"

/* With its steps. */
static int read_plan(struct store *s, sqlite3_stmt *stmt, struct store_plan *ret, struct aisbx_error *e)
{
	struct store_plan p = { .created_ms = sqlite3_column_int64(stmt, 5),
				.goal = db_copy_text(stmt, 1),
				.project = db_copy_text(stmt, 3) };
	int r = p.goal && p.project ? 0 : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a plan");

	db_text(stmt, 0, p.id, sizeof(p.id));
	db_text(stmt, 2, p.box, sizeof(p.box));
	db_text(stmt, 4, p.owner, sizeof(p.owner));
	if (r == 0)
		r = read_steps(s, &p, e);
	if (r < 0)
		store_plan_finish(&p);
	else
		*ret = p;
	return r;
}

int store_plan_find(struct store *s, const char *key, const char *owner, struct store_plan *ret,
		    struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	scoped(store_plan_finish) struct store_plan found = { 0 };
	int r = db_prepare(s, &stmt, e,
			   "SELECT " COLUMNS
			   " FROM plans WHERE substr(id, 1, length(?1)) = ?1 AND (?2 IS NULL OR owner = ?2) "
			   "ORDER BY seq LIMIT 2",
			   "ss", key, owner);

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r == 0 || (r > 0 && !*key))
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
				    "there is no plan '%.60s'; 'aisbx plan ls' lists them", key);
	if (r > 0)
		r = read_plan(s, stmt, &found, e);
	if (r == 0)
		r = db_next(s, stmt, e);
	if (r > 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_STORE, EINVAL,
				    "several plans begin with '%.60s'; write more of it", key);
	if (r < 0)
		return r;
	*ret = found;
	found = (struct store_plan){ 0 };
	return 0;
}

int store_plan_list(struct store *s, const struct store_plan_filter *f, struct store_plan **ret,
		    size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	struct store_plan *list = NULL;
	size_t n = 0;
	int r = db_prepare(
		s, &stmt, e,
		"SELECT " COLUMNS
		" FROM plans WHERE (?1 IS NULL OR owner = ?1) AND (?2 IS NULL OR instr(goal, ?2) OR "
		"EXISTS (SELECT 1 FROM plan_steps WHERE plan = plans.seq AND instr(what, ?2))) ORDER "
		"BY seq DESC LIMIT ?3",
		"ssi", f->owner, f->match, f->limit);

	while (r >= 0 && (r = db_next(s, stmt, e)) > 0) {
		struct store_plan *grown = realloc(list, (n + 1) * sizeof(*list));

		if (!grown) {
			r = aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "list plans");
			break;
		}
		list = grown;
		r = read_plan(s, stmt, &list[n], e);
		n += r == 0;
	}
	if (r < 0) {
		store_plan_list_finish(list, n);
		return r;
	}
	*ret = list;
	*ret_n = n;
	return 0;
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
