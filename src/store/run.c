/* SPDX-License-Identifier: Apache-2.0 */
/*
 * History of runs. A run notes itself by appending one line to a file; whoever reads the history moves
 * the lines into the database first. So a run costs a write, and readers never miss one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

#define NOTES	 "runs.notes"
#define IMPORTED "runs.import"

/* Fields are separated by tabs; what would break a line is escaped. */
static void add_field(struct buf *b, const char *text)
{
	for (; text && *text; text++) {
		if (*text == '\t')
			buf_add(b, "\\t", 2);
		else if (*text == '\n')
			buf_add(b, "\\n", 2);
		else if (*text == '\\')
			buf_add(b, "\\\\", 2);
		else
			buf_add(b, text, 1);
	}
	buf_add(b, "\t", 1);
}

static void unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		if (*s == '\\' && s[1]) {
			s++;
			*out++ = (char)(*s == 't' ? '\t' : *s == 'n' ? '\n' : *s);
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
}

int store_run_note(const char *dir, const struct store_run *r, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf line = { 0 };
	scoped(drop_mem) char *path = NULL;
	struct stat here, named;
	ssize_t n;

	buf_add(&line, "\n", 1); /* ends what a full disk may have torn */
	add_field(&line, r->id);
	add_field(&line, r->box);
	add_field(&line, r->status);
	buf_addf(&line, "%lld\t%lld\t%.3f\t", (long long)r->exit_code, (long long)r->started_ms, r->wall_ms);
	add_field(&line, r->command);
	add_field(&line, r->result);
	buf_add(&line, "\n", 1);
	if (line.failed || asprintf(&path, "%s/" NOTES, dir) < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "note the run");
	for (int tries = 0; tries < 100; tries++) {
		scoped(drop_fd) int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

		if (fd < 0 && errno == ENOENT) { /* the first run of all */
			if (db_make_dirs(dir, e) < 0)
				return e->code;
			continue;
		}
		/* Shared lock: many append at once, but none to a file that an importer has taken away. */
		if (fd < 0 || flock(fd, LOCK_SH) < 0 || fstat(fd, &here) < 0)
			return aisbx_fail(e, AISBX_AREA_STORE, errno, "note the run in '%s'", path);
		if (stat(path, &named) < 0 || named.st_ino != here.st_ino)
			continue;
		n = write(fd, line.data, line.len);
		if (n == (ssize_t)line.len)
			return 0;
		return aisbx_fail(e, AISBX_AREA_STORE, n < 0 ? errno : ENOSPC, "note the run in '%s'", path);
	}
	return aisbx_refuse(e, AISBX_AREA_STORE, EAGAIN, "note the run in '%s': the file keeps going away", path);
}

static int import_line(struct store *s, char *line, struct aisbx_error *e)
{
	char *fields[8], *save = line;

	for (int i = 0; i < 8; i++) {
		char *tab = save ? strchr(save, '\t') : NULL;

		if (!tab)
			return 0; /* torn by a full disk: what is not there cannot be imported */
		*tab = '\0';
		fields[i] = save;
		save = tab + 1;
	}
	unescape(fields[6]);
	unescape(fields[7]);
	return db_change(s, e,
			 "INSERT OR IGNORE INTO runs (id, box, status, exit_code, started_ms, wall_ms, command, result) "
			 "VALUES (?,?,?,?,?,?,?,?)",
			 "sssiidss", fields[0], fields[1][0] ? fields[1] : NULL, fields[2], (int64_t)atoll(fields[3]),
			 (int64_t)atoll(fields[4]), atof(fields[5]), fields[6], fields[7][0] ? fields[7] : NULL);
}

static int import_file(struct store *s, const char *path, struct aisbx_error *e)
{
	scoped(drop_file) FILE *f = fopen(path, "re");
	scoped(drop_mem) char *line = NULL;
	size_t cap = 0;
	int r;

	if (!f)
		return errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_STORE, errno, "read '%s'", path);
	r = store_begin(s, e);
	while (r == 0 && getline(&line, &cap, f) > 0)
		r = import_line(s, line, e);
	if (r == 0)
		r = store_commit(s, e);
	store_rollback(s);
	if (r == 0 && unlink(path) < 0 && errno != ENOENT)
		r = aisbx_fail(e, AISBX_AREA_STORE, errno, "remove '%s'", path);
	return r;
}

int db_import_runs(struct store *s, struct aisbx_error *e)
{
	scoped(drop_mem) char *notes = NULL;
	scoped(drop_mem) char *taken = NULL;
	scoped(drop_fd) int dir = -1;
	scoped(drop_fd) int fd = -1;
	int r;

	if (asprintf(&notes, "%s/" NOTES, s->dir) < 0 || asprintf(&taken, "%s/" IMPORTED, s->dir) < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "import runs");
	dir = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || flock(dir, LOCK_EX) < 0) /* one importer at a time */
		return aisbx_fail(e, AISBX_AREA_STORE, errno, "lock '%s'", s->dir);
	r = import_file(s, taken, e); /* left by one that died; a run is imported once, by its id */
	if (r < 0)
		return r;
	fd = open(notes, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_STORE, errno, "open '%s'", notes);
	if (rename(notes, taken) < 0 || flock(fd, LOCK_EX) < 0) /* waits for who is still writing to it */
		return aisbx_fail(e, AISBX_AREA_STORE, errno, "take '%s'", notes);
	return import_file(s, taken, e);
}

static int read_run(sqlite3_stmt *stmt, struct store_run *ret, struct aisbx_error *e)
{
	const char *command = (const char *)sqlite3_column_text(stmt, 6);
	const char *result = (const char *)sqlite3_column_text(stmt, 7);
	struct store_run r = { .exit_code = sqlite3_column_int64(stmt, 3), .started_ms = sqlite3_column_int64(stmt, 4),
			       .wall_ms = sqlite3_column_double(stmt, 5) };

	db_text(stmt, 0, r.id, sizeof(r.id));
	db_text(stmt, 1, r.box, sizeof(r.box));
	db_text(stmt, 2, r.status, sizeof(r.status));
	r.command = strdup(command ? command : "");
	r.result = result ? strdup(result) : NULL;
	if (!r.command || (result && !r.result)) {
		free(r.command);
		free(r.result);
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a run");
	}
	*ret = r;
	return 0;
}

void store_run_list_finish(struct store_run *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].command);
		free(list[i].result);
	}
	free(list);
}

int store_run_list(struct store *s, const struct store_run_filter *f, struct store_run **ret, size_t *ret_n,
		   struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	struct store_run *list = NULL;
	char sql[512];
	size_t n = 0;
	int r = db_import_runs(s, e);

	/* Only the conditions that are asked for: behind "?1 IS NULL OR" SQLite uses no index. "+": not this one's. */
	snprintf(sql, sizeof(sql),
		 "SELECT id, box, status, exit_code, started_ms, wall_ms, command, result FROM runs WHERE %s AND %s AND %s "
		 "AND %s ORDER BY %s LIMIT ?5",
		 f->box ? "box = ?1" : "?1 IS NULL",
		 !f->status ? "?2 IS NULL" : f->box ? "+status = ?2" : "status = ?2",
		 f->match ? "instr(command, ?3)" : "?3 IS NULL",
		 !f->since_ms ? "?4 = 0" : f->box || f->status ? "+started_ms >= ?4" : "started_ms >= ?4",
		 f->since_ms && !f->box && !f->status ? "started_ms DESC, seq DESC" : "seq DESC");
	if (r == 0)
		r = db_prepare(s, &stmt, e, sql, "sssii", f->box, f->status, f->match, f->since_ms, f->limit);
	while (r >= 0 && (r = db_next(s, stmt, e)) > 0) {
		struct store_run *grown = realloc(list, (n + 1) * sizeof(*list));

		if (!grown) {
			r = aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "list runs");
			break;
		}
		list = grown;
		r = read_run(stmt, &list[n], e);
		n += r == 0;
	}
	if (r < 0) {
		store_run_list_finish(list, n);
		return r;
	}
	*ret = list;
	*ret_n = n;
	return 0;
}
