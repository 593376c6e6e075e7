/* SPDX-License-Identifier: Apache-2.0 */
/*
 * History as it leaves the machine: runs, events and approvals, each by its own number. None of these rows
 * ever changes. What changes later, such as a promotion that is undone, is an event of its own: so nobody has
 * to note changes, and a run pays nothing for it.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

/* Number, time, kind, box, run, owner, what never changes of it, body. A blob, which only a damaged store
 * has, is taken for text: SQLite makes no JSON of it. */
static const char *const questions[] = {
	[STORE_RUNS] =
		"SELECT r.seq, r.started_ms, 'run', r.box, r.id, r.owner, r.id, json_object('status', "
		"CAST(r.status AS TEXT), 'exit_code', CASE WHEN r.exit_code >= 0 THEN CAST(r.exit_code AS "
		"INTEGER) END, 'wall_ms', CAST(r.wall_ms AS REAL), 'command', CAST(r.command AS TEXT), "
		"'result', "
		"CASE WHEN json_valid(x.result) THEN json(x.result) END) FROM runs r LEFT JOIN results x ON "
		"x.seq = r.seq WHERE r.seq > ?1 ORDER BY r.seq LIMIT ?2",
	[STORE_EVENTS] =
		"SELECT e.seq, e.time_ms, e.kind, e.box, e.run, coalesce((SELECT b.owner FROM boxes b WHERE "
		"b.id = "
		"e.box), p.owner), e.what, CASE WHEN NOT json_valid(e.what) THEN json_object('text', "
		"CAST(e.what "
		"AS TEXT)) WHEN p.id IS NULL THEN e.what ELSE json_patch(e.what, json_object('target', "
		"CAST(p.target AS TEXT), 'changes', CAST(p.changes AS INTEGER), 'box_name', CAST(p.box_name "
		"AS "
		"TEXT))) END FROM events e LEFT JOIN promotions p ON p.id = CASE WHEN substr(e.kind, 1, 10) "
		"= "
		"'promotion.' AND json_valid(e.what) THEN json_extract(e.what, '$.promotion') END WHERE "
		"e.seq > ?1 "
		"ORDER BY e.seq LIMIT ?2",
	[STORE_APPROVALS] =
		"SELECT a.seq, a.time_ms, 'approval', p.box, NULL, p.owner, a.pipeline || '/' || a.stage || "
		"'/' || "
		"a.snapshot || '/' || a.approved || '/' || a.uid || '/' || a.way, json_object('pipeline', "
		"CAST(a.pipeline AS TEXT), 'stage', CAST(a.stage AS INTEGER), 'snapshot', CAST(a.snapshot AS "
		"TEXT), 'approved', json(CASE WHEN a.approved THEN 'true' ELSE 'false' END), 'uid', "
		"CAST(a.uid AS "
		"INTEGER), 'name', CAST(a.name AS TEXT), 'way', CAST(a.way AS TEXT), 'note', CAST(a.note AS "
		"TEXT)) "
		"FROM approvals a LEFT JOIN pipelines p ON p.id = a.pipeline WHERE a.seq > ?1 ORDER BY a.seq "
		"LIMIT "
		"?2",
};

static int read_row(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_history *h = ret;

	(void)s;
	h->number = sqlite3_column_int64(stmt, 0);
	h->time_ms = sqlite3_column_int64(stmt, 1);
	db_text(stmt, 2, h->kind, sizeof(h->kind));
	db_text(stmt, 3, h->box, sizeof(h->box));
	db_text(stmt, 4, h->run, sizeof(h->run));
	db_text(stmt, 5, h->owner, sizeof(h->owner));
	h->fixed = db_copy_text(stmt, 6);
	h->body = db_copy_text(stmt, 7);
	return h->fixed && h->body ? 0 : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read the history");
}

static void finish_row(void *row)
{
	struct store_history *h = row;

	free(h->fixed);
	free(h->body);
}

static const struct db_rows history = { "history", NULL, sizeof(struct store_history), read_row, finish_row };

void store_history_list_finish(struct store_history *list, size_t n)
{
	db_list_finish(&history, list, n);
}

int store_history_list(struct store *s, enum store_source source, int64_t after, int64_t limit,
		       struct store_history **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e, questions[source], "ii", after, limit);

	return db_list(s, r, stmt, &history, ret, ret_n, e);
}
