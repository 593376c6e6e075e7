/* SPDX-License-Identifier: Apache-2.0 */
/* History of runs: reading it. store/history_write.c writes it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/search.h"

#define COLUMNS "r.owner, r.id, r.box, r.status, r.exit_code, r.started_ms, r.wall_ms, r.command, "
#define FEW     1000
#define RESULT  "(SELECT x.result FROM results x WHERE x.seq = r.seq)"

static int read_run(sqlite3_stmt *stmt, struct store_run *ret, struct aisbx_error *e)
{
	const char *command = (const char *)sqlite3_column_text(stmt, 7);
	const char *result = (const char *)sqlite3_column_text(stmt, 8);
	struct store_run r = { .exit_code = sqlite3_column_int64(stmt, 4),
			       .started_ms = sqlite3_column_int64(stmt, 5),
			       .wall_ms = sqlite3_column_double(stmt, 6) };

	db_text(stmt, 0, r.owner, sizeof(r.owner));
	db_text(stmt, 1, r.id, sizeof(r.id));
	db_text(stmt, 2, r.box, sizeof(r.box));
	db_text(stmt, 3, r.status, sizeof(r.status));
	r.command = strdup(command ? command : "");
	r.result = result ? strdup(result) : NULL;
	if (!r.command || (result && !r.result)) {
		store_run_finish(&r);
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a run");
	}
	*ret = r;
	return 0;
}

void store_run_finish(struct store_run *r)
{
	free(r->command);
	free(r->result);
	r->command = r->result = NULL;
}

struct run_list {
	struct store_run *items; /* owned */
	size_t n, cap;
};

void store_run_list_finish(struct store_run *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		store_run_finish(&list[i]);
	free(list);
}

static int add_run(struct run_list *list, sqlite3_stmt *stmt, struct aisbx_error *e)
{
	int r;

	if (list->n == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 32;
		struct store_run *grown = realloc(list->items, cap * sizeof(*grown));

		if (!grown)
			return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "list runs");
		list->items = grown;
		list->cap = cap;
	}
	r = read_run(stmt, &list->items[list->n], e);
	list->n += r == 0;
	return r;
}

/*
 * Appends what F lets through of the runs after seq AFTER: of those in blocks, or of the others. Only the
 * conditions that are asked for are in the question: behind "?1 IS NULL OR" SQLite uses no index.
 */
static int ask(struct store *s, const struct store_run_filter *f, bool in_blocks, int64_t after,
	       struct run_list *list, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf sql = { 0 };
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r;

	buf_addf(&sql, "SELECT " COLUMNS "%s FROM ", f->results ? RESULT : "NULL");
	buf_addf(&sql, "%s",
		 in_blocks ? "run_blocks b CROSS JOIN runs r WHERE b.last > ?4 AND may_hold(b.grams, ?3) AND "
			     "r.seq BETWEEN b.first AND b.last"
			   : "runs r WHERE r.seq > ?4");
	buf_addf(&sql, "%s%s%s%s%s", f->box ? " AND r.box = ?1" : "", f->status ? " AND r.status = ?2" : "",
		 f->match ? " AND instr(r.command, ?3)" : "", f->since_ms ? " AND r.started_ms >= ?5" : "",
		 f->owner ? " AND r.owner = ?7 AND r.owner <> ''" : ""); /* the second as its index says it */
	buf_addf(&sql, " ORDER BY %sr.seq DESC LIMIT ?6", in_blocks ? "b.last DESC, " : "");
	if (!buf_str(&sql))
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "list runs");
	r = db_prepare(s, &stmt, e, sql.data, f->owner ? "sssiiis" : "sssiii", f->box, f->status, f->match,
		       after, f->since_ms, f->limit - (int64_t)list->n, f->owner);
	while (r >= 0 && (r = db_next(s, stmt, e)) > 0)
		r = add_run(list, stmt, e);
	return r;
}

/* Of a box with few runs those are read, whatever the others hold. */
static int has_few(struct store *s, const char *box, bool *ret, struct aisbx_error *e)
{
	int64_t n = 0;
	int r = db_number(s, &n, e, "SELECT count(*) FROM (SELECT 1 FROM runs WHERE box = ? LIMIT ?)", "si",
			  box, (int64_t)FEW + 1);

	if (r == 0)
		*ret = n <= FEW;
	return r;
}

/* Seq of the last run that is to be looked for by blocks; 0: all are read. */
static int last_in_blocks(struct store *s, const struct store_run_filter *f, int64_t *ret,
			  struct aisbx_error *e)
{
	bool few = !f->match;
	int r = f->match && f->box ? has_few(s, f->box, &few, e) : 0;

	if (r < 0 || few)
		return r;
	r = search_prepare(s, e);
	return r < 0 ? r : search_last(s, ret, e);
}

int store_run_list(struct store *s, const struct store_run_filter *f, struct store_run **ret, size_t *ret_n,
		   struct aisbx_error *e)
{
	struct run_list list = { 0 };
	int64_t after = 0, last = 0;
	int r = store_run_import(s, e);

	if (r == 0 && f->since_ms)
		r = search_since(s, f->since_ms, &after, e);
	if (r == 0)
		r = last_in_blocks(s, f, &last, e);
	if (r == 0)
		r = ask(s, f, false, last > after ? last : after, &list, e);
	if (r == 0 && after < last && (int64_t)list.n < f->limit)
		r = ask(s, f, true, after, &list, e);
	if (r < 0) {
		store_run_list_finish(list.items, list.n);
		return r;
	}
	*ret = list.items;
	*ret_n = list.n;
	return 0;
}

int store_run_missing(const char *key, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
			    "there is no run '%s'; 'aisbx history' lists all runs", key);
}

int store_run_find(struct store *s, const char *key, struct store_run *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	struct store_run found = { 0 };
	int r = store_run_import(s, e);

	if (r == 0)
		r = db_prepare(s, &stmt, e,
			       "SELECT " COLUMNS RESULT
			       " FROM runs r WHERE r.id >= ?1 AND r.id < ?1 || x'7f' ORDER BY r.id LIMIT 2",
			       "s", key);
	if (r == 0)
		r = db_next(s, stmt, e);
	if (r == 0)
		r = store_run_missing(key, e);
	if (r > 0)
		r = read_run(stmt, &found, e);
	if (r == 0 && strcmp(found.id, key) != 0)
		r = db_next(s, stmt, e);
	if (r > 0)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_STORE, EINVAL,
				 "several runs begin with '%s'; give more of the id", key);
	if (r < 0) {
		store_run_finish(&found);
		return r;
	}
	*ret = found;
	return 0;
}
