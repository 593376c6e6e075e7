/* SPDX-License-Identifier: Apache-2.0 */
/*
 * History of runs: writing it. A run appends one line to a file; readers of the history import the lines into
 * the database first. So a run costs one write, and readers never miss one.
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

#define NOTES    "runs.notes"
#define IMPORTED "runs.import"
/* A run that finds more than this in the file imports it: some thousand runs, which takes a moment. */
#define NOTES_MAX (1 << 20)
/* How long such a run waits for a writer of the database before it leaves that to the next. */
#define MOMENT_MS 100

void db_escape(struct buf *b, const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, "\t\n\\");

		buf_add(b, text, n);
		text += n;
		if (*text)
			buf_add(b, *text == '\t' ? "\\t" : *text == '\n' ? "\\n" : "\\\\", 2);
		text += *text != '\0';
	}
}

/* Fields are separated by tabs; what would break a line is escaped. */
static void add_field(struct buf *b, const char *text)
{
	db_escape(b, text);
	buf_add(b, "\t", 1);
}

void db_unescape(char *s)
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

static void make_line(const struct store_run *r, struct buf *line)
{
	buf_add(line, "\n", 1); /* ends what a full disk may have torn */
	add_field(line, r->id);
	add_field(line, r->box);
	add_field(line, r->status);
	buf_addf(line, "%lld\t%lld\t%.3f\t", (long long)r->exit_code, (long long)r->started_ms, r->wall_ms);
	add_field(line, r->command);
	add_field(line, r->result);
	add_field(line, r->owner);
	buf_add(line, "\n", 1);
}

static int append(const char *dir, const char *path, const struct buf *line, off_t *ret_size,
		  struct aisbx_error *e)
{
	struct stat here, named;

	for (int tries = 0; tries < 100; tries++) {
		scoped(drop_fd) int fd =
			open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		ssize_t n;

		if (fd < 0 && errno == ENOENT) { /* the first run of all */
			if (store_make_dirs(dir, e) < 0)
				return e->code;
			continue;
		}
		/* Shared lock: many append at once, but none to a file that an importer has taken away. */
		if (fd < 0 || flock(fd, LOCK_SH) < 0 || fstat(fd, &here) < 0)
			return aisbx_fail(e, AISBX_AREA_STORE, errno, "record the run in '%s'", path);
		if (stat(path, &named) < 0 || named.st_ino != here.st_ino)
			continue;
		n = write(fd, line->data, line->len);
		if (n != (ssize_t)line->len)
			return aisbx_fail(e, AISBX_AREA_STORE, n < 0 ? errno : ENOSPC,
					  "record the run in '%s'", path);
		*ret_size = here.st_size;
		return 0;
	}
	return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_STORE, EAGAIN,
			    "record the run in '%s': the file was removed repeatedly", path);
}

static int import(struct store *s, bool wait, struct aisbx_error *e);

/* What cannot be done now is done by the next: the notes stay where they are. */
static void import_in_passing(const char *dir)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_store) struct store *s = NULL;

	if (store_open(dir, &s, &ignored) < 0)
		return;
	sqlite3_busy_timeout(s->db, MOMENT_MS);
	import(s, false, &ignored);
}

int store_run_note(const char *dir, const struct store_run *r, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf line = { 0 };
	scoped(drop_mem) char *path = NULL;
	off_t size = 0;
	int status;

	make_line(r, &line);
	if (line.failed || asprintf(&path, "%s/" NOTES, dir) < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "record the run");
	status = append(dir, path, &line, &size, e);
	if (status == 0 && size > NOTES_MAX)
		import_in_passing(dir);
	return status;
}

/* The statements of an import. */
struct import {
	struct store *store;
	sqlite3_stmt *run, *result;
};

/* The fields of a line, each ended by a tab: 9, or 8 of an older aisbx, which knew of no owners. False: it
 * was torn by a full disk, and what is not there cannot be imported. */
static bool split_line(char *line, char *fields[9])
{
	for (int i = 0; i < 9; i++) {
		char *tab = strchr(line, '\t');

		fields[i] = NULL;
		if (!tab)
			return i == 8;
		*tab = '\0';
		fields[i] = line;
		line = tab + 1;
	}
	return true;
}

static bool bind_run(sqlite3_stmt *stmt, char *const fields[9])
{
	bool done = true;

	sqlite3_reset(stmt);
	for (int i = 0; done && i < 8; i++) {
		const char *text = i < 7 ? fields[i] : fields[8] ? fields[8] : "";

		done = sqlite3_bind_text(stmt, i + 1, i == 1 && !*text ? NULL : text, -1, SQLITE_STATIC) ==
		       SQLITE_OK;
	}
	return done;
}

static int import_line(struct import *im, char *line, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf command = { 0 }, result = { 0 };
	const char *kept[2];
	char *fields[9];

	if (!split_line(line, fields))
		return 0;
	db_unescape(fields[6]);
	db_unescape(fields[7]);
	if (db_scrub(im->store, fields[6], &command, &kept[0]) != SQLITE_OK ||
	    db_scrub(im->store, fields[7], &result, &kept[1]) != SQLITE_OK)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "import a run");
	fields[6] = (char *)kept[0];
	if (!bind_run(im->run, fields) || sqlite3_step(im->run) != SQLITE_DONE)
		return db_fail(im->store, e, "import a run");
	if (!fields[7][0] || sqlite3_changes(im->store->db) == 0) /* none, or imported before */
		return 0;
	sqlite3_reset(im->result);
	if (sqlite3_bind_int64(im->result, 1, sqlite3_last_insert_rowid(im->store->db)) != SQLITE_OK ||
	    sqlite3_bind_text(im->result, 2, kept[1], -1, SQLITE_STATIC) != SQLITE_OK ||
	    sqlite3_step(im->result) != SQLITE_DONE)
		return db_fail(im->store, e, "import a result");
	return 0;
}

static int import_lines(struct import *im, FILE *f, const char *path, struct aisbx_error *e)
{
	scoped(drop_mem) char *line = NULL;
	size_t cap = 0;
	int r = db_prepare(im->store, &im->run, e,
			   "INSERT OR IGNORE INTO runs (id, box, status, exit_code, started_ms, wall_ms, "
			   "command, owner) "
			   "VALUES (?,?,?,?,?,?,?,?)",
			   "");

	if (r == 0)
		r = db_prepare(im->store, &im->result, e, "INSERT INTO results (seq, result) VALUES (?,?)",
			       "");
	while (r == 0) {
		errno = 0;
		if (getline(&line, &cap, f) <
		    0) /* the end, or not: lines that cannot be read must not be thrown away */
			return feof(f) && !ferror(f) ? 0
						     : aisbx_fail(e, AISBX_AREA_STORE, errno ? errno : EIO,
								  "read '%s'", path);
		r = import_line(im, line, e);
	}
	return r;
}

static int import_file(struct store *s, const char *path, struct aisbx_error *e)
{
	scoped(drop_file) FILE *f = fopen(path, "re");
	struct import im = { .store = s };
	int r;

	if (!f)
		return errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_STORE, errno, "read '%s'", path);
	/* The file goes when the rows are in: they must be on the disk by then. */
	r = db_exec(s, "PRAGMA synchronous=FULL", e);
	if (r == 0)
		r = store_begin(s, e);
	if (r == 0)
		r = import_lines(&im, f, path, e);
	sqlite3_finalize(im.run);
	sqlite3_finalize(im.result);
	if (r == 0)
		r = store_commit(s, e);
	store_rollback(s);
	sqlite3_exec(s->db, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
	if (r == 0 && unlink(path) < 0 && errno != ENOENT)
		r = aisbx_fail(e, AISBX_AREA_STORE, errno, "remove '%s'", path);
	return r;
}

/* Takes the file away from those who append to it, and imports it. */
static int import_notes(struct store *s, struct aisbx_error *e)
{
	scoped(drop_mem) char *notes = NULL;
	scoped(drop_mem) char *taken = NULL;
	scoped(drop_fd) int fd = -1;
	int r;

	if (asprintf(&notes, "%s/" NOTES, s->dir) < 0 || asprintf(&taken, "%s/" IMPORTED, s->dir) < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "import runs");
	r = import_file(s, taken, e); /* left by one that died; a run is imported once, by its id */
	if (r < 0)
		return r;
	fd = open(notes, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_STORE, errno, "open '%s'", notes);
	if (rename(notes, taken) < 0 || flock(fd, LOCK_EX) < 0) /* waits for who is still writing to it */
		return aisbx_fail(e, AISBX_AREA_STORE, errno, "get '%s'", notes);
	return import_file(s, taken, e);
}

static int import(struct store *s, bool wait, struct aisbx_error *e)
{
	scoped(drop_fd) int dir = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (dir < 0 || flock(dir, LOCK_EX | (wait ? 0 : LOCK_NB)) < 0) { /* one importer at a time */
		if (dir >= 0 && errno == EWOULDBLOCK)
			return 0;
		return aisbx_fail(e, AISBX_AREA_STORE, errno, "lock '%s'", s->dir);
	}
	r = import_notes(s, e);
	return r < 0 ? r : db_index_runs(s, e);
}

int store_run_import(struct store *s, struct aisbx_error *e)
{
	return import(s, true, e);
}
