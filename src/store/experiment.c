/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of experiments and of their branches, and the one place that decides who wins. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

static int read_branch(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_branch *b = ret;

	(void)s;
	b->name = db_copy_text(stmt, 0);
	b->command = db_copy_text(stmt, 2);
	b->result = db_copy_text(stmt, 4);
	db_text(stmt, 1, b->box, sizeof(b->box));
	db_text(stmt, 3, b->state, sizeof(b->state));
	return b->name && b->command && b->result
		       ? 0
		       : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read an experiment");
}

static void finish_branch(void *row)
{
	struct store_branch *b = row;

	free(b->name);
	free(b->command);
	free(b->result);
}

static const struct db_rows branches = { "branches", NULL, sizeof(struct store_branch), read_branch,
					 finish_branch };

void store_experiment_finish(struct store_experiment *x)
{
	db_list_finish(&branches, x->branches, x->n_branches);
	free(x->name);
	free(x->project);
	free(x->how);
	free(x->result);
	*x = (struct store_experiment){ 0 };
}

static int add_rows(struct store *s, const struct store_experiment *x, struct aisbx_error *e)
{
	int r = db_change(s, e,
			  "INSERT INTO experiments (id, name, owner, project, mode, state, how, created_ms) "
			  "VALUES (?,?,?,?,?,?,?,?)",
			  "sssssssi", x->id, x->name, x->owner, x->project, x->mode, x->state, x->how,
			  x->created_ms);

	for (size_t i = 0; r == 0 && i < x->n_branches; i++)
		r = db_change(s, e,
			      "INSERT INTO branches (experiment, n, name, box, command, state) "
			      "VALUES ((SELECT seq FROM experiments WHERE id = ?),?,?,?,?,?)",
			      "sissss", x->id, (int64_t)i + 1, x->branches[i].name, x->branches[i].box,
			      x->branches[i].command, x->branches[i].state);
	return r;
}

int store_experiment_add(struct store *s, const struct store_experiment *x, struct aisbx_error *e)
{
	int r = store_begin(s, e);

	if (r < 0)
		return r;
	r = add_rows(s, x, e);
	if (r == 0)
		return store_commit(s, e);
	store_rollback(s);
	return r;
}

#define COLUMNS "id, name, owner, project, mode, state, winner, how, result, created_ms, ended_ms"

static int read_experiment(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *below = NULL;
	struct store_experiment *x = ret;
	int r;

	*x = (struct store_experiment){ .name = db_copy_text(stmt, 1),
					.project = db_copy_text(stmt, 3),
					.how = db_copy_text(stmt, 7),
					.result = db_copy_text(stmt, 8),
					.winner = sqlite3_column_int64(stmt, 6),
					.created_ms = sqlite3_column_int64(stmt, 9),
					.ended_ms = sqlite3_column_int64(stmt, 10) };
	if (!x->name || !x->project || !x->how || !x->result)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read an experiment");
	db_text(stmt, 0, x->id, sizeof(x->id));
	db_text(stmt, 2, x->owner, sizeof(x->owner));
	db_text(stmt, 4, x->mode, sizeof(x->mode));
	db_text(stmt, 5, x->state, sizeof(x->state));
	r = db_prepare(s, &below, e,
		       "SELECT name, box, command, state, result FROM branches "
		       "WHERE experiment = (SELECT seq FROM experiments WHERE id = ?) ORDER BY n",
		       "s", x->id);
	return db_list(s, r, below, &branches, &x->branches, &x->n_branches, e);
}

static void finish_experiment(void *row)
{
	store_experiment_finish(row);
}

static const struct db_rows experiments = { "experiments", COLUMNS, sizeof(struct store_experiment),
					    read_experiment, finish_experiment };

void store_experiment_list_finish(struct store_experiment *list, size_t n)
{
	db_list_finish(&experiments, list, n);
}

int store_experiment_find(struct store *s, const char *key, const char *owner, struct store_experiment *ret,
			  struct aisbx_error *e)
{
	return db_find(s, &experiments, key, owner, ret, e);
}

int store_experiment_list(struct store *s, const char *owner, const char *state, int64_t limit,
			  struct store_experiment **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(
		s, &stmt, e,
		"SELECT " COLUMNS
		" FROM experiments WHERE (?1 IS NULL OR owner = ?1) AND (?2 IS NULL OR state = ?2) "
		"ORDER BY seq DESC LIMIT ?3",
		"ssi", owner, state, limit);

	return db_list(s, r, stmt, &experiments, ret, ret_n, e);
}

int store_experiment_claim(struct store *s, const char *id, int64_t n, bool *ret_won, struct aisbx_error *e)
{
	/* One statement: SQLite lets one writer in at a time, and the second finds the condition false. */
	int r = db_change(s, e,
			  "UPDATE experiments SET winner = ? WHERE id = ? AND winner = 0 AND state IN "
			  "('running', 'open')",
			  "is", n, id);

	*ret_won = r == 0 && sqlite3_changes(s->db) > 0;
	return r;
}

int store_branch_set(struct store *s, const char *id, int64_t n, const char *state, const char *result,
		     struct aisbx_error *e)
{
	return db_change(s, e,
			 "UPDATE branches SET state = ?, result = ? WHERE experiment = (SELECT seq FROM "
			 "experiments WHERE id = ?) "
			 "AND n = ?",
			 "sssi", state, result, id, n);
}

int store_experiment_end(struct store *s, const char *id, const char *state, const char *result,
			 int64_t ended_ms, bool *ret_ended, struct aisbx_error *e)
{
	int r = db_change(s, e,
			  "UPDATE experiments SET state = ?, result = ?, ended_ms = ? WHERE id = ? AND state "
			  "IN ('running', 'open')",
			  "ssis", state, result, ended_ms, id);

	*ret_ended = r == 0 && sqlite3_changes(s->db) > 0;
	return r;
}
