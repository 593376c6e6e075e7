/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes and their nodes in SQLite. */
#include "fleet/agent/homes.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/scope.h"

#define BUSY_MS 20000
/* A box that was not used from here for so long is forgotten: it may have expired long ago. */
#define KEEP_S (180ll * 24 * 3600)

struct homes {
	sqlite3 *db; /* owned */
	char path[PATH_MAX];
};

static const char schema[] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
			     "CREATE TABLE IF NOT EXISTS homes (tenant TEXT NOT NULL, id TEXT NOT NULL, name "
			     "TEXT NOT NULL, node TEXT NOT "
			     "NULL, used INTEGER NOT NULL, PRIMARY KEY (tenant, node, id));"
			     "CREATE INDEX IF NOT EXISTS homes_id ON homes (tenant, id);"
			     "CREATE INDEX IF NOT EXISTS homes_name ON homes (tenant, name);";

static int fail(struct homes *h, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_STORE, EIO,
			    "the table of boxes and their nodes: %s (%s)",
			    h->db ? sqlite3_errmsg(h->db) : "out of memory", h->path);
}

static void finish_statement(sqlite3_stmt **statement)
{
	sqlite3_finalize(*statement);
}

/* SQL with N texts. */
static int prepare(struct homes *h, const char *sql, const char *const *texts, int n, sqlite3_stmt **ret,
		   struct aisbx_error *e)
{
	if (sqlite3_prepare_v2(h->db, sql, -1, ret, NULL) != SQLITE_OK)
		return fail(h, e);
	for (int i = 0; i < n; i++)
		sqlite3_bind_text(*ret, i + 1, texts[i], -1, SQLITE_TRANSIENT);
	return 0;
}

static int change(struct homes *h, const char *sql, const char *const *texts, int n, long long number,
		  struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	int r = prepare(h, sql, texts, n, &st, e);

	if (r < 0)
		return r;
	sqlite3_bind_int64(st, n + 1, number);
	return sqlite3_step(st) == SQLITE_DONE ? 0 : fail(h, e);
}

int homes_open(const char *dir, struct homes **ret, struct aisbx_error *e)
{
	struct homes *h = calloc(1, sizeof(*h));
	int r = 0;

	if (!h)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "open '%s'", dir);
	if (snprintf(h->path, sizeof(h->path), "%s/homes.db", dir) >= (int)sizeof(h->path))
		r = aisbx_fail(e, AISBX_AREA_STORE, ENAMETOOLONG, "open '%s'", dir);
	else if (sqlite3_open_v2(h->path, &h->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
			 SQLITE_OK ||
		 sqlite3_busy_timeout(h->db, BUSY_MS) != SQLITE_OK ||
		 sqlite3_exec(h->db, schema, NULL, NULL, NULL) != SQLITE_OK)
		r = fail(h, e);
	if (r == 0)
		r = change(h, "DELETE FROM homes WHERE used < ?", NULL, 0, time(NULL) - KEEP_S, e);
	if (r < 0)
		homes_close(h);
	else
		*ret = h;
	return r;
}

void homes_close(struct homes *h)
{
	if (h)
		sqlite3_close(h->db);
	free(h);
}

int homes_put(struct homes *h, const char *tenant, const struct home *home, struct aisbx_error *e)
{
	const char *const row[] = { tenant, home->id, home->name, home->node };
	const char *const name[] = { tenant, home->node, home->name, home->id };
	/* A node has one box of a name: another that was called so is gone. */
	int r = change(h, "DELETE FROM homes WHERE tenant = ? AND node = ? AND name = ? AND id <> ?", name, 4,
		       0, e);

	if (r < 0)
		return r;
	return change(h, "INSERT OR REPLACE INTO homes (tenant, id, name, node, used) VALUES (?, ?, ?, ?, ?)",
		      row, 4, time(NULL), e);
}

static void text_of(sqlite3_stmt *st, int column, char *ret, size_t cap)
{
	const unsigned char *text = sqlite3_column_text(st, column);

	snprintf(ret, cap, "%s", text ? (const char *)text : "");
}

int homes_find(struct homes *h, const char *tenant, const char *box, struct home *ret, size_t most,
	       struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	const char *const texts[] = { tenant, box, box };
	size_t n = 0;
	int r = prepare(
		h,
		"SELECT id, name, node FROM homes WHERE tenant = ? AND (id = ? OR name = ?) ORDER BY used "
		"DESC, rowid DESC",
		texts, 3, &st, e);

	if (r < 0)
		return r;
	while (n < most && sqlite3_step(st) == SQLITE_ROW) {
		text_of(st, 0, ret[n].id, sizeof(ret[n].id));
		text_of(st, 1, ret[n].name, sizeof(ret[n].name));
		text_of(st, 2, ret[n].node, sizeof(ret[n].node));
		n++;
	}
	return (int)n;
}

int homes_forget(struct homes *h, const char *tenant, const char *node, const char *box,
		 struct aisbx_error *e)
{
	const char *const texts[] = { tenant, node, box, box };

	return change(h, "DELETE FROM homes WHERE tenant = ? AND node = ? AND (id = ? OR name = ?)", texts, 4,
		      0, e);
}

int homes_nodes(struct homes *h, const char *tenant, char (*ret)[FLEET_NAME], size_t most,
		struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	size_t n = 0;
	int r = prepare(h, "SELECT node FROM homes WHERE tenant = ? GROUP BY node ORDER BY max(used) DESC",
			&tenant, 1, &st, e);

	if (r < 0)
		return r;
	while (n < most && sqlite3_step(st) == SQLITE_ROW)
		text_of(st, 0, ret[n++], FLEET_NAME);
	return (int)n;
}
