/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of experiments and of their branches, and the one place where it is settled who wins. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

void store_experiment_finish(struct store_experiment *x)
{
	for (size_t i = 0; i < x->n_branches; i++) {
		free(x->branches[i].name);
		free(x->branches[i].command);
		free(x->branches[i].result);
	}
	free(x->branches);
	free(x->name);
	free(x->project);
	free(x->how);
	free(x->result);
	*x = (struct store_experiment){ 0 };
}

void store_experiment_list_finish(struct store_experiment *list, size_t n)
{
	while (n)
		store_experiment_finish(&list[--n]);
	free(list);
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

static int read_branch(sqlite3_stmt *stmt, struct store_experiment *x, struct aisbx_error *e)
{
	struct store_branch *grown = realloc(x->branches, (x->n_branches + 1) * sizeof(*grown));
	struct store_branch b = { .name = db_copy_text(stmt, 0),
				  .command = db_copy_text(stmt, 2),
				  .result = db_copy_text(stmt, 4) };

	if (grown)
		x->branches = grown;
	if (!grown || !b.name || !b.command || !b.result) {
		free(b.name);
		free(b.command);
		free(b.result);
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read an experiment");
	}
	db_text(stmt, 1, b.box, sizeof(b.box));
	db_text(stmt, 3, b.state, sizeof(b.state));
	grown[x->n_branches++] = b;
	return 0;
}

static int read_branches(struct store *s, struct store_experiment *x, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   "SELECT name, box, command, state, result FROM branches "
			   "WHERE experiment = (SELECT seq FROM experiments WHERE id = ?) ORDER BY n",
			   "s", x->id);

	while (r >= 0 && (r = db_next(s, stmt, e)) > 0)
		r = read_branch(stmt, x, e);
	return r;
}

#define COLUMNS "id, name, owner, project, mode, state, winner, how, result, created_ms, ended_ms"

static int read_experiment(struct store *s, sqlite3_stmt *stmt, struct store_experiment *ret,
			   struct aisbx_error *e)
{
	struct store_experiment x = { .name = db_copy_text(stmt, 1),
				      .project = db_copy_text(stmt, 3),
				      .how = db_copy_text(stmt, 7),
				      .result = db_copy_text(stmt, 8),
				      .winner = sqlite3_column_int64(stmt, 6),
				      .created_ms = sqlite3_column_int64(stmt, 9),
				      .ended_ms = sqlite3_column_int64(stmt, 10) };
	int r = x.name && x.project && x.how && x.result
			? 0
			: aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read an experiment");

	db_text(stmt, 0, x.id, sizeof(x.id));
	db_text(stmt, 2, x.owner, sizeof(x.owner));
	db_text(stmt, 4, x.mode, sizeof(x.mode));
	db_text(stmt, 5, x.state, sizeof(x.state));
	if (r == 0)
		r = read_branches(s, &x, e);
	if (r < 0)
		store_experiment_finish(&x);
	else
		*ret = x;
	return r;
}

int store_experiment_find(struct store *s, const char *key, const char *owner, struct store_experiment *ret,
			  struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	scoped(store_experiment_finish) struct store_experiment found = { 0 };
	int r = db_prepare(
		s, &stmt, e,
		"SELECT " COLUMNS
		" FROM experiments WHERE substr(id, 1, length(?1)) = ?1 AND (?2 IS NULL OR owner = ?2) "
		"ORDER BY seq LIMIT 2",
		"ss", key, owner);

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r == 0 || (r > 0 && !*key))
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
				    "there is no experiment '%.60s'; 'aisbx experiment ls' lists them", key);
	if (r > 0)
		r = read_experiment(s, stmt, &found, e);
	if (r == 0)
		r = db_next(s, stmt, e);
	if (r > 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_STORE, EINVAL,
				    "several experiments begin with '%.60s'; write more of it", key);
	if (r < 0)
		return r;
	*ret = found;
	found = (struct store_experiment){ 0 };
	return 0;
}

int store_experiment_list(struct store *s, const char *owner, const char *state, int64_t limit,
			  struct store_experiment **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	struct store_experiment *list = NULL;
	size_t n = 0;
	int r = db_prepare(
		s, &stmt, e,
		"SELECT " COLUMNS
		" FROM experiments WHERE (?1 IS NULL OR owner = ?1) AND (?2 IS NULL OR state = ?2) "
		"ORDER BY seq DESC LIMIT ?3",
		"ssi", owner, state, limit);

	while (r >= 0 && (r = db_next(s, stmt, e)) > 0) {
		struct store_experiment *grown = realloc(list, (n + 1) * sizeof(*list));

		if (!grown) {
			r = aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "list experiments");
			break;
		}
		list = grown;
		r = read_experiment(s, stmt, &list[n], e);
		n += r == 0;
	}
	if (r < 0) {
		store_experiment_list_finish(list, n);
		return r;
	}
	*ret = list;
	*ret_n = n;
	return 0;
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
