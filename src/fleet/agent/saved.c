/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and results in SQLite, with synchronous=FULL: what a commit has told is on the disk. */
#include "fleet/agent/saved.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/private_dir.h"
#include "base/scope.h"
#include "fleet/wire/wire.h"

#define BUSY_MS 20000

struct saved {
	sqlite3 *db; /* owned */
	char path[PATH_MAX];
};

/* Numbers of claims use all 64 bits; SQLite's are signed, and keep them all the same. */
static const char schema[] =
	"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
	"CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, job TEXT NOT NULL, since INTEGER NOT NULL,"
	" node TEXT, incarnation INTEGER, number INTEGER, record TEXT, ended INTEGER);"
	"CREATE TABLE IF NOT EXISTS ended (id TEXT NOT NULL, epoch INTEGER NOT NULL, revision INTEGER NOT "
	"NULL,"
	" job TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (id, epoch, revision));"
	"CREATE TABLE IF NOT EXISTS secret (one INTEGER PRIMARY KEY CHECK (one = 1), bytes BLOB NOT NULL);";

static int fail(struct saved *s, const char *what, struct aisbx_error *e)
{
	const int code = s->db ? sqlite3_errcode(s->db) & 0xff : SQLITE_NOMEM;
	const int err = code == SQLITE_NOMEM ? ENOMEM : code == SQLITE_FULL ? ENOSPC : EIO;

	aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_STORE, err, "%s: %s (%s)", what,
		     s->db ? sqlite3_errmsg(s->db) : "out of memory", s->path);
	return err == ENOSPC ? aisbx_hint(e, "make room there") : -err;
}

static int exec(struct saved *s, const char *sql, struct aisbx_error *e)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
								       : fail(s, "save what must last", e);
}

/* DIR and what is missing above it. */
static int make_dirs(const char *dir, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = strdup(dir);
	scoped(drop_fd) int fd = -1;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "make '%s'", dir);
	for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return aisbx_fail(e, AISBX_AREA_STORE, errno, "make '%s'", path);
		if (!slash)
			break;
		*slash = '/';
	}
	fd = private_dir_open(dir, "name a directory of your own", e);
	if (fd == -ENOENT)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOENT, "open '%s'", dir);
	return fd < 0 ? fd : 0;
}

int saved_open(const char *dir, const char *file, struct saved **ret, struct aisbx_error *e)
{
	struct saved *s;
	int r = make_dirs(dir, e);

	if (r < 0)
		return r;
	s = calloc(1, sizeof(*s));
	if (!s)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "open '%s'", dir);
	if (snprintf(s->path, sizeof(s->path), "%s/%s", dir, file) >= (int)sizeof(s->path))
		r = aisbx_fail(e, AISBX_AREA_STORE, ENAMETOOLONG, "open '%s'", dir);
	else if (sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
		 SQLITE_OK)
		r = fail(s, "open the table", e);
	else {
		sqlite3_busy_timeout(s->db, BUSY_MS);
		r = exec(s, schema, e);
	}
	if (r < 0)
		saved_close(s);
	else
		*ret = s;
	return r;
}

void saved_close(struct saved *s)
{
	if (s)
		sqlite3_close(s->db);
	free(s);
}

int saved_begin(struct saved *s, struct aisbx_error *e)
{
	return exec(s, "BEGIN IMMEDIATE", e);
}

int saved_commit(struct saved *s, struct aisbx_error *e)
{
	int r = exec(s, "COMMIT", e);

	if (r < 0)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return r;
}

static void finish_statement(sqlite3_stmt **statement)
{
	sqlite3_finalize(*statement);
}

static int prepare(struct saved *s, const char *sql, sqlite3_stmt **ret, struct aisbx_error *e)
{
	return sqlite3_prepare_v2(s->db, sql, -1, ret, NULL) == SQLITE_OK ? 0 : fail(s, "ask the table", e);
}

static void put_text(sqlite3_stmt *statement, int i, const char *text)
{
	sqlite3_bind_text(statement, i, text, -1, SQLITE_TRANSIENT);
}

static void put_number(sqlite3_stmt *statement, int i, uint64_t number)
{
	sqlite3_bind_int64(statement, i, (sqlite3_int64)number);
}

static void put_buf(sqlite3_stmt *statement, int i, const struct buf *b)
{
	sqlite3_bind_text(statement, i, b->data, (int)b->len, SQLITE_TRANSIENT);
}

static int step(struct saved *s, sqlite3_stmt *statement, struct aisbx_error *e)
{
	return sqlite3_step(statement) == SQLITE_DONE ? 0 : fail(s, "save what must last", e);
}

bool saved_is_for(const struct fleet_action *action)
{
	return action->kind == FLEET_SAVE_JOB || action->kind == FLEET_SAVE_GRANT ||
	       action->kind == FLEET_SAVE_END || action->kind == FLEET_SAVE_ENDED ||
	       action->kind == FLEET_DROP_ENDED;
}

static int too_long(struct aisbx_error *e, int r)
{
	return aisbx_fail(e, AISBX_AREA_STORE, -r, "write down a job or its result");
}

static int save_job(struct saved *s, uint64_t wall_ms, const struct fleet_job *job, struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	scoped(buf_finish) struct buf text = { 0 };
	int r = wire_job_encode(job, &text);

	if (r < 0)
		return too_long(e, r);
	r = prepare(s, "INSERT INTO jobs (id, job, since) VALUES (?, ?, ?)", &st, e);
	if (r < 0)
		return r;
	put_text(st, 1, job->id);
	put_buf(st, 2, &text);
	put_number(st, 3, wall_ms);
	return step(s, st, e);
}

static int save_grant(struct saved *s, const struct fleet_action *a, struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	int r = prepare(s, "UPDATE jobs SET node = ?, incarnation = ?, number = ? WHERE id = ?", &st, e);

	if (r < 0)
		return r;
	put_text(st, 1, a->node);
	put_number(st, 2, a->incarnation);
	put_number(st, 3, a->number);
	put_text(st, 4, a->job.id);
	return step(s, st, e);
}

static int save_end(struct saved *s, uint64_t wall_ms, const struct fleet_action *a, struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	scoped(buf_finish) struct buf text = { 0 };
	int r = wire_record_encode(&a->record, &text);

	if (r < 0)
		return too_long(e, r);
	r = prepare(s, "UPDATE jobs SET record = ?, ended = ? WHERE id = ?", &st, e);
	if (r < 0)
		return r;
	put_buf(st, 1, &text);
	put_number(st, 2, wall_ms);
	put_text(st, 3, a->job.id);
	return step(s, st, e);
}

static int save_ended(struct saved *s, const struct fleet_action *a, struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	scoped(buf_finish) struct buf job = { 0 }, record = { 0 };
	int r = wire_job_encode(&a->job, &job);

	if (r == 0)
		r = wire_record_encode(&a->record, &record);
	if (r < 0)
		return too_long(e, r);
	r = prepare(s,
		    "INSERT OR REPLACE INTO ended (id, epoch, revision, job, record) VALUES (?, ?, ?, ?, ?)",
		    &st, e);
	if (r < 0)
		return r;
	put_text(st, 1, a->job.id);
	put_number(st, 2, a->token.epoch);
	put_number(st, 3, a->token.revision);
	put_buf(st, 4, &job);
	put_buf(st, 5, &record);
	return step(s, st, e);
}

static int drop_ended(struct saved *s, const struct fleet_action *a, struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	int r = prepare(s, "DELETE FROM ended WHERE id = ? AND epoch = ? AND revision = ?", &st, e);

	if (r < 0)
		return r;
	put_text(st, 1, a->job.id);
	put_number(st, 2, a->token.epoch);
	put_number(st, 3, a->token.revision);
	return step(s, st, e);
}

int saved_perform(struct saved *s, uint64_t wall_ms, const struct fleet_action *action, struct aisbx_error *e)
{
	switch ((int)action->kind) {
	case FLEET_SAVE_JOB:
		return save_job(s, wall_ms, &action->job, e);
	case FLEET_SAVE_GRANT:
		return save_grant(s, action, e);
	case FLEET_SAVE_END:
		return save_end(s, wall_ms, action, e);
	case FLEET_SAVE_ENDED:
		return save_ended(s, action, e);
	default:
		return drop_ended(s, action, e);
	}
}

void saved_job_finish(struct saved_job *job)
{
	fleet_job_finish(&job->saved.job);
	fleet_record_finish(&job->saved.record);
	*job = (struct saved_job){ 0 };
}

static const char *text_of(sqlite3_stmt *st, int column, size_t *ret_len)
{
	const char *text = (const char *)sqlite3_column_text(st, column);

	*ret_len = text ? (size_t)sqlite3_column_bytes(st, column) : 0;
	return text;
}

#define JOB_COLUMNS "job, since, node, incarnation, number, record, ended"

static int read_job(sqlite3_stmt *st, struct saved_job *ret, struct aisbx_error *e)
{
	struct saved_job job = { 0 };
	size_t len;
	const char *text = text_of(st, 0, &len);
	int r = wire_job_decode(text ? text : "", len, &job.saved.job, e);

	if (r < 0)
		return r;
	job.since_wall_ms = (uint64_t)sqlite3_column_int64(st, 1);
	text = text_of(st, 2, &len);
	job.saved.granted = text != NULL;
	snprintf(job.saved.node, sizeof(job.saved.node), "%s", text ? text : "");
	job.saved.incarnation = (uint64_t)sqlite3_column_int64(st, 3);
	job.saved.number = (uint64_t)sqlite3_column_int64(st, 4);
	text = text_of(st, 5, &len);
	if (text)
		r = wire_record_decode(text, len, &job.saved.record, e);
	job.ended_wall_ms = (uint64_t)sqlite3_column_int64(st, 6);
	if (r < 0)
		saved_job_finish(&job);
	else
		*ret = job;
	return r;
}

int saved_job_find(struct saved *s, const char *id, struct saved_job *ret, struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	int r = prepare(s,
			"SELECT " JOB_COLUMNS
			" FROM jobs WHERE substr(id, 1, ?) = ? ORDER BY length(id) LIMIT 2",
			&st, e);

	if (r < 0)
		return r;
	put_number(st, 1, strlen(id));
	put_text(st, 2, id);
	if (!*id || sqlite3_step(st) != SQLITE_ROW)
		return -ENOENT;
	r = read_job(st, ret, e);
	if (r == 0 && strcmp(ret->saved.job.id, id) != 0 && sqlite3_step(st) == SQLITE_ROW) {
		saved_job_finish(ret);
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOTUNIQ,
				    "more than one job begins with '%.70s'; write more of it", id);
	}
	return r;
}

int saved_jobs(struct saved *s, void (*each)(void *ctx, const struct saved_job *job), void *ctx,
	       struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	int r = prepare(s, "SELECT " JOB_COLUMNS " FROM jobs ORDER BY since DESC, rowid DESC", &st, e);

	while (r == 0 && sqlite3_step(st) == SQLITE_ROW) {
		struct saved_job job = { 0 };

		r = read_job(st, &job, e);
		if (r == 0)
			each(ctx, &job);
		saved_job_finish(&job);
	}
	return r;
}

int saved_drop(struct saved *s, const char *id, struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	int r = prepare(s, "DELETE FROM jobs WHERE id = ?", &st, e);

	if (r < 0)
		return r;
	put_text(st, 1, id);
	return step(s, st, e);
}

static int read_secret(struct saved *s, uint8_t ret[32], struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	int r = prepare(s, "SELECT bytes FROM secret WHERE length(bytes) = 32", &st, e);

	if (r < 0)
		return r;
	if (sqlite3_step(st) != SQLITE_ROW)
		return -ENOENT;
	memcpy(ret, sqlite3_column_blob(st, 0), 32);
	return 0;
}

int saved_secret(struct saved *s, uint8_t ret[32], struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	uint8_t bytes[32];
	int r = read_secret(s, ret, e);

	if (r != -ENOENT)
		return r;
	while (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		;
	/* Another command may be faster: then it is that one's. */
	r = prepare(s, "INSERT OR IGNORE INTO secret (one, bytes) VALUES (1, ?)", &st, e);
	if (r < 0)
		return r;
	sqlite3_bind_blob(st, 1, bytes, sizeof(bytes), SQLITE_TRANSIENT);
	r = step(s, st, e);
	if (r == 0)
		r = read_secret(s, ret, e);
	return r == -ENOENT ? aisbx_fail(e, AISBX_AREA_STORE, EBADMSG, "read the secret in '%s'", s->path)
			    : r;
}

int saved_forget(struct saved *s, uint64_t before_wall_ms, struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	int r = prepare(s, "DELETE FROM jobs WHERE ended < ?", &st, e);

	if (r < 0)
		return r;
	put_number(st, 1, before_wall_ms);
	return step(s, st, e);
}

int saved_ended(struct saved *s,
		void (*each)(void *ctx, const struct fleet_job *job, const struct fleet_record *record),
		void *ctx, struct aisbx_error *e)
{
	scoped(finish_statement) sqlite3_stmt *st = NULL;
	int r = prepare(s, "SELECT job, record FROM ended ORDER BY rowid", &st, e);

	while (r == 0 && sqlite3_step(st) == SQLITE_ROW) {
		struct fleet_job job = { 0 };
		struct fleet_record record = { 0 };
		size_t len;
		const char *text = text_of(st, 0, &len);

		r = wire_job_decode(text ? text : "", len, &job, e);
		if (r == 0) {
			text = text_of(st, 1, &len);
			r = wire_record_decode(text ? text : "", len, &record, e);
		}
		if (r == 0)
			each(ctx, &job, &record);
		fleet_job_finish(&job);
		fleet_record_finish(&record);
	}
	return r;
}
