/* SPDX-License-Identifier: Apache-2.0 */
/* Events: what happened to boxes, snapshots and promotions, one row each. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

int store_event_add(struct store *s, const char *kind, const char *box, const char *run,
		    struct aisbx_error *e, const char *format, ...)
{
	scoped(drop_mem) char *what = NULL;
	struct timespec t;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vasprintf(&what, format, ap);
	va_end(ap);
	if (n < 0) {
		what = NULL;
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "record the event '%s'", kind);
	}
	clock_gettime(CLOCK_REALTIME, &t);
	n = db_change(s, e, "INSERT INTO events (time_ms, kind, box, run, what) VALUES (?,?,?,?,?)", "issss",
		      (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000, kind, box, run, what);
	if (n == 0 && !s->mark.event)
		s->before = sqlite3_last_insert_rowid(s->db) - 1;
	if (n == 0)
		s->mark.event = sqlite3_last_insert_rowid(s->db);
	return n;
}

static int read_event(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	const char *what = (const char *)sqlite3_column_text(stmt, 5);
	struct store_event *ev = ret;

	(void)s;
	ev->seq = sqlite3_column_int64(stmt, 0);
	ev->time_ms = sqlite3_column_int64(stmt, 1);
	ev->what = strdup(what ? what : "{}");
	db_text(stmt, 2, ev->kind, sizeof(ev->kind));
	db_text(stmt, 3, ev->box, sizeof(ev->box));
	db_text(stmt, 4, ev->run, sizeof(ev->run));
	return ev->what ? 0 : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read an event");
}

static void finish_event(void *row)
{
	free(((struct store_event *)row)->what);
}

static const struct db_rows events = { "events", NULL, sizeof(struct store_event), read_event, finish_event };

void store_event_list_finish(struct store_event *list, size_t n)
{
	db_list_finish(&events, list, n);
}

#define OF_OWNER " (?4 IS NULL OR box IN (SELECT b.id FROM boxes b WHERE b.owner = ?4 OR b.shared))"

int store_event_list(struct store *s, const struct store_event_filter *f, struct store_event **ret,
		     size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(
		s, &stmt, e,
		f->box ? "SELECT seq, time_ms, kind, box, run, what FROM events WHERE box = ?1 AND "
			 "time_ms >= ?2 AND" OF_OWNER " ORDER BY seq DESC LIMIT ?3"
		       : "SELECT seq, time_ms, kind, box, run, what FROM events WHERE ?1 IS NULL AND "
			 "time_ms >= ?2 AND" OF_OWNER " ORDER BY seq DESC LIMIT ?3",
		"siis", f->box, f->since_ms, f->limit, f->owner);

	return db_list(s, r, stmt, &events, ret, ret_n, e);
}
