/* SPDX-License-Identifier: Apache-2.0 */
/* What the store remembers: formats, rows, what may be forgotten, and runs noted without a database. */
#include "support/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/db.h"
#include "store/store.h"

static char dir[64];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test-store-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *in_dir(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void write_file(const char *name, const char *text, size_t len)
{
	int fd = open(in_dir(name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static struct store *opened(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = NULL;
	int r = store_open(dir, &s, &e);

	if (r < 0)
		fail_msg("store_open: %s", e.text);
	return s;
}

static int64_t number(struct store *s, const char *sql)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	sqlite3_stmt *stmt = NULL;
	int64_t value;

	assert_int_equal(db_prepare(s, &stmt, &e, sql, ""), 0);
	assert_int_equal(db_next(s, stmt, &e), 1);
	value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

/* Opening. */

static void made_from_nothing(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char deep[128];
	struct store *s = NULL;
	struct stat st;

	(void)state;
	snprintf(deep, sizeof(deep), "%s/a/b/c", dir);
	assert_int_equal(store_open(deep, &s, &e), 0);
	assert_true(number(s, "PRAGMA user_version") >= 1);
	assert_int_equal(number(s, "PRAGMA foreign_keys"), 1);
	assert_int_equal(number(s, "SELECT count(*) FROM boxes"), 0);
	store_close(s);
	assert_int_equal(stat(deep, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700); /* what is kept is nobody else's business */
	store_close(NULL);
}

static void opened_again(void **state)
{
	struct store_layer layer = { .id = "l-1" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened(), *second = opened();
	int64_t version = number(s, "PRAGMA user_version");
	bool there = false;

	(void)state;
	assert_int_equal(store_layer_add(s, &layer, &e), 0);
	assert_int_equal(store_layer_exists(second, "l-1", &there, &e), 0);
	assert_true(there);
	store_close(second);
	store_close(s);
	s = opened();
	assert_int_equal(number(s, "PRAGMA user_version"), version);
	assert_int_equal(store_layer_exists(s, "l-1", &there, &e), 0);
	assert_true(there);
	store_close(s);
}

static void many_open_at_once(void **state)
{
	int failed = 0, status;
	pid_t pids[16];

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			struct aisbx_error e = AISBX_ERROR_INIT;
			struct store_layer layer = { 0 };
			struct store *s = NULL;
			int r = store_open(dir, &s, &e);

			snprintf(layer.id, sizeof(layer.id), "l-%zu", i);
			if (r == 0)
				r = store_layer_add(s, &layer, &e);
			if (r < 0)
				fprintf(stderr, "%s\n", e.text);
			store_close(s);
			_exit(r < 0);
		}
	}
	for (size_t i = 0; i < 16; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		failed += status != 0;
	}
	assert_int_equal(failed, 0);
	struct store *s = opened();
	assert_int_equal(number(s, "SELECT count(*) FROM layers"), 16);
	store_close(s);
}

static void a_newer_format_is_refused(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();

	(void)state;
	assert_int_equal(db_exec(s, "PRAGMA user_version=99", &e), 0);
	store_close(s);
	s = NULL;
	assert_failed(store_open(dir, &s, &e), EOPNOTSUPP, e, "newer aisbx");
	assert_non_null(strstr(e.text, "99"));
	assert_non_null(strstr(e.text, dir));
	assert_null(s);
}

static void a_broken_file_is_named(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = NULL;
	char junk[8192];

	(void)state;
	memset(junk, 'j', sizeof(junk));
	write_file("store.db", junk, sizeof(junk));
	assert_failed(store_open(dir, &s, &e), EUCLEAN, e, in_dir("store.db"));
	assert_null(s);
}

/* A page in the middle: SQLite notices only when it reads that one. */
static void a_broken_page_is_named(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_box box = { 0 };
	struct store *s = opened();
	char junk[4096];
	int fd, r;

	(void)state;
	assert_int_equal(db_exec(s, "PRAGMA wal_checkpoint(TRUNCATE)", &e), 0);
	store_close(s);
	memset(junk, 0x5a, sizeof(junk));
	fd = open(in_dir("store.db"), O_WRONLY | O_CLOEXEC);
	for (off_t at = 4096; at < 4096 * 12; at += 4096)
		assert_int_equal(pwrite(fd, junk, sizeof(junk), at), sizeof(junk));
	close(fd);
	s = NULL;
	r = store_open(dir, &s, &e);
	if (r == 0)
		r = store_box_find(s, "b", &box, &e);
	assert_failed(r, EUCLEAN, e, in_dir("store.db"));
	store_close(s);
}

static void a_directory_that_cannot_be_written(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_run run = { .id = "r-1", .status = "ok", .command = (char *)"true" };
	struct store *s = NULL;
	int opening, noting;
	bool root = geteuid() == 0;

	(void)state;
	assert_int_equal(chmod(dir, 0555), 0);
	if (root)
		assert_int_equal(seteuid(65534), 0); /* root may write everywhere */
	opening = store_open(dir, &s, &e);
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_failed(opening, root ? EPERM : EACCES, e, dir); /* to nobody it is a stranger's */
	assert_null(s);
	if (root)
		assert_int_equal(seteuid(65534), 0);
	noting = store_run_note(dir, &run, &e);
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_failed(noting, EACCES, e, dir);
	assert_int_equal(chmod(dir, 0700), 0);
}

static void a_directory_that_is_none(void **state)
{
	struct store_run run = { .id = "r-1", .status = "ok", .command = (char *)"true" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = NULL;
	char path[128];
	pid_t child;
	int status;

	(void)state;
	write_file("file", "x", 1);
	snprintf(path, sizeof(path), "%s/file", dir);
	assert_true(store_open(path, &s, &e) < 0);
	assert_non_null(strstr(e.text, path));
	assert_true(store_run_note(path, &run, &e) < 0);
	assert_non_null(strstr(e.text, path));
	snprintf(path, sizeof(path), "%s/link", dir);
	assert_int_equal(symlink("/nonexistent/dir", path), 0);
	assert_true(store_open(path, &s, &e) < 0);
	child = fork(); /* a note for a place that is not there must not try for ever */
	if (child == 0) {
		alarm(60);
		_exit(store_run_note(path, &run, &e) < 0 && strstr(e.text, path) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Rows. */

static void add_box(struct store *s, const char *id, const char *name, const char *top)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_box box = { .project = (char *)"/some/where",
				 .created_ms = 5,
				 .expires_ms = 7,
				 .watermark_s = 11,
				 .watermark_ns = 13,
				 .autosnap = true };

	snprintf(box.id, sizeof(box.id), "%s", id);
	snprintf(box.name, sizeof(box.name), "%s", name);
	snprintf(box.top, sizeof(box.top), "%s", top);
	snprintf(box.profile, sizeof(box.profile), "dev");
	if (store_box_add(s, &box, &e) < 0)
		fail_msg("store_box_add: %s", e.text);
}

static void add_layer(struct store *s, const char *id, const char *parent)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_layer l = { 0 };

	snprintf(l.id, sizeof(l.id), "%s", id);
	snprintf(l.parent, sizeof(l.parent), "%s", parent);
	if (store_layer_add(s, &l, &e) < 0)
		fail_msg("store_layer_add: %s", e.text);
}

static int try_snapshot(struct store *s, const char *id, const char *box, const char *name, const char *layer,
			struct aisbx_error *e)
{
	struct store_snapshot snap = { .created_ms = 3, .automatic = true };

	snprintf(snap.id, sizeof(snap.id), "%s", id);
	snprintf(snap.box, sizeof(snap.box), "%s", box);
	snprintf(snap.name, sizeof(snap.name), "%s", name);
	snprintf(snap.layer, sizeof(snap.layer), "%s", layer);
	return store_snapshot_add(s, &snap, e);
}

static void boxes(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();
	struct store_box b = { 0 }, *list = NULL,
			 plain = { .id = "b-3", .name = "plain", .top = "l-2", .profile = "strict" };
	size_t n = 0;

	(void)state;
	add_layer(s, "l-1", "");
	add_layer(s, "l-2", "");
	add_box(s, "b-1", "one", "l-1");
	add_box(s, "b-2", "b-1", "l-2"); /* a name that is another's id */
	assert_int_equal(store_box_add(s, &plain, &e), 0);

	assert_int_equal(store_box_find(s, "one", &b, &e), 0);
	assert_string_equal(b.id, "b-1");
	assert_string_equal(b.top, "l-1");
	assert_string_equal(b.profile, "dev");
	assert_string_equal(b.project, "/some/where");
	assert_int_equal(b.created_ms, 5);
	assert_int_equal(b.expires_ms, 7);
	assert_int_equal(b.watermark_s, 11);
	assert_int_equal(b.watermark_ns, 13);
	assert_true(b.autosnap);
	assert_int_equal(b.snapshots, 0);
	store_box_finish(&b);
	store_box_finish(&b); /* twice is fine */
	assert_int_equal(store_box_find(s, "b-1", &b, &e), 0);
	assert_string_equal(b.id, "b-1"); /* an id comes before a name: nobody takes another's place by one */
	store_box_finish(&b);
	assert_int_equal(store_box_find(s, "b-3", &b, &e), 0);
	assert_null(b.project);
	assert_false(b.autosnap);
	assert_failed(store_box_find(s, "nope", &b, &e), ENOENT, e, "'nope'");
	assert_failed(store_box_add(s, &plain, &e), EEXIST, e, "'plain'");

	assert_int_equal(store_box_rename(s, "b-3", "other", &e), 0);
	assert_failed(store_box_rename(s, "b-3", "one", &e), EEXIST, e, "'one'");
	assert_int_equal(store_box_set_top(s, "b-3", "l-1", &e), 0);
	assert_int_equal(store_box_set_expiry(s, "b-3", 1LL << 40, &e), 0);
	assert_int_equal(store_box_find(s, "other", &b, &e), 0);
	assert_string_equal(b.top, "l-1");
	assert_int_equal(b.expires_ms, 1LL << 40);
	assert_int_equal(store_box_list(s, &list, &n, &e), 0);
	assert_int_equal(n, 3);
	assert_string_equal(list[0].id, "b-3"); /* oldest first */
	for (size_t i = 0; i < n; i++)
		store_box_finish(&list[i]);
	free(list);
	assert_int_equal(store_box_remove(s, "b-3", &e), 0);
	assert_failed(store_box_find(s, "other", &b, &e), ENOENT, e, "aisbx ls");
	store_close(s);
}

/* A box must never stand on a layer that is not there; to call that "exists already" would mislead. */
static void a_box_needs_its_layer(void **state)
{
	struct store_box b = { .id = "b-1", .name = "one", .top = "l-nope", .profile = "dev" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();
	int r;

	(void)state;
	r = store_box_add(s, &b, &e);
	assert_true(r < 0);
	assert_int_not_equal(r, -EEXIST);
	assert_null(strstr(e.text, "already"));
	store_close(s);
}

static void snapshots(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();
	struct store_snapshot snap, *list = NULL;
	struct store_box b;
	size_t n = 0;

	(void)state;
	add_layer(s, "l-1", "");
	add_layer(s, "l-2", "l-1");
	add_box(s, "b-1", "one", "l-2");
	add_box(s, "b-2", "two", "l-2");
	assert_int_equal(try_snapshot(s, "s-9", "b-1", "first", "l-1", &e), 0);
	assert_int_equal(try_snapshot(s, "s-1", "b-1", "second", "l-2", &e), 0);
	assert_int_equal(try_snapshot(s, "s-5", "b-2", "first", "l-1", &e), 0);
	assert_failed(try_snapshot(s, "s-6", "b-1", "first", "l-1", &e), EEXIST, e, "'first'");

	assert_int_equal(store_snapshot_find(s, "b-1", "first", &snap, &e), 0);
	assert_string_equal(snap.id, "s-9");
	assert_string_equal(snap.layer, "l-1");
	assert_string_equal(snap.box, "b-1");
	assert_int_equal(snap.created_ms, 3);
	assert_true(snap.automatic);
	assert_int_equal(store_snapshot_find(s, "b-1", "s-1", &snap, &e), 0);
	assert_string_equal(snap.name, "second");
	assert_failed(store_snapshot_find(s, "b-2", "second", &snap, &e), ENOENT, e, "'second'");

	assert_int_equal(store_snapshot_list(s, "b-1", &list, &n, &e), 0);
	assert_int_equal(n, 2);
	assert_string_equal(list[0].id, "s-9"); /* oldest first, whatever the ids */
	free(list);
	assert_int_equal(store_snapshot_list(s, NULL, &list, &n, &e), 0);
	assert_int_equal(n, 3);
	free(list);
	assert_int_equal(store_box_find(s, "one", &b, &e), 0);
	assert_int_equal(b.snapshots, 2);
	store_box_finish(&b);

	assert_int_equal(store_box_remove(s, "b-1", &e), 0); /* takes its snapshots along, and no others */
	assert_int_equal(number(s, "SELECT count(*) FROM snapshots"), 1);
	store_close(s);
}

static void chains(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_layer *chain = NULL;
	struct store *s = opened();
	char id[STORE_ID_MAX], parent[STORE_ID_MAX] = "";
	size_t n = 0;

	(void)state;
	assert_int_equal(store_begin(s, &e), 0);
	for (int i = 0; i < 1000; i++) {
		snprintf(id, sizeof(id), "l-%d", i);
		add_layer(s, id, parent);
		memcpy(parent, id, sizeof(id));
	}
	assert_int_equal(store_commit(s, &e), 0);
	assert_int_equal(store_layer_freeze(s, "l-998", &e), 0);
	assert_int_equal(store_layer_chain(s, "l-999", &chain, &n, &e), 0);
	assert_int_equal(n, 1000);
	assert_string_equal(chain[0].id, "l-999");
	assert_string_equal(chain[0].parent, "l-998");
	assert_false(chain[0].frozen);
	assert_true(chain[1].frozen);
	assert_string_equal(chain[999].id, "l-0");
	assert_string_equal(chain[999].parent, "");
	free(chain);
	assert_failed(store_layer_chain(s, "nope", &chain, &n, &e), ENOENT, e, "'nope'");
	store_close(s);
}

/* base - a - b, and a layer that b and all below it were folded into: when they go, it stands for what is
 * left. */
static void what_a_layer_stands_for_may_go(void **state)
{
	struct store_layer folded = { .id = "l-fold", .stands_for = "l-b", .frozen = true }, *list = NULL;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();
	char(*ids)[STORE_ID_MAX] = NULL;
	size_t n = 0;

	(void)state;
	add_layer(s, "l-base", "");
	add_layer(s, "l-a", "l-base");
	add_layer(s, "l-b", "l-a");
	assert_int_equal(store_layer_add(s, &folded, &e), 0);
	add_layer(s, "l-top", "l-fold");
	add_box(s, "b-1", "one", "l-top");
	add_box(s, "b-2", "two", "l-a");
	assert_int_equal(store_layer_chain(s, "l-top", &list, &n, &e), 0);
	assert_int_equal(n, 2);
	assert_string_equal(list[1].stands_for, "l-b");
	assert_string_equal(list[0].stands_for, "");
	free(list);
	assert_int_equal(store_layer_collect(s, &ids, &n, &e), 0);
	assert_int_equal(n, 1);
	assert_string_equal(ids[0], "l-b");
	free(ids);
	assert_int_equal(store_layer_list(s, &list, &n, &e), 0);
	assert_int_equal(n, 4);
	assert_string_equal(list[2].id, "l-fold");
	assert_string_equal(list[2].stands_for, "l-a");
	free(list);
	assert_int_equal(store_box_remove(s, "b-2", &e), 0);
	assert_int_equal(store_layer_collect(s, &ids, &n, &e), 0);
	free(ids);
	assert_int_equal(number(s, "SELECT count(*) FROM layers WHERE stands_for IS NOT NULL"), 0);
	assert_int_equal(store_box_remove(s, "b-1", &e), 0);
	assert_int_equal(store_layer_collect(s, &ids, &n, &e), 0);
	free(ids);
	assert_int_equal(number(s, "SELECT count(*) FROM layers"), 0);
	store_close(s);
}

static void collect_takes_leaves_first(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();
	char(*ids)[STORE_ID_MAX] = NULL;
	size_t n = 0;

	(void)state;
	/*
	 * base - kept by a snapshot - top of a box
	 *      \ loose1 - loose2 - loose3
	 */
	add_layer(s, "l-base", "");
	add_layer(s, "l-kept", "l-base");
	add_layer(s, "l-top", "l-kept");
	add_layer(s, "l-loose1", "l-base");
	add_layer(s, "l-loose2", "l-loose1");
	add_layer(s, "l-loose3", "l-loose2");
	add_box(s, "b-1", "one", "l-top");
	assert_int_equal(try_snapshot(s, "s-1", "b-1", "first", "l-kept", &e), 0);
	assert_int_equal(store_layer_collect(s, &ids, &n, &e), 0);
	assert_int_equal(n, 3);
	assert_string_equal(ids[0], "l-loose3");
	assert_string_equal(ids[1], "l-loose2");
	assert_string_equal(ids[2], "l-loose1");
	free(ids);
	ids = NULL;
	assert_int_equal(store_layer_collect(s, &ids, &n, &e), 0);
	assert_int_equal(n, 0);
	free(ids);
	ids = NULL;
	assert_int_equal(store_box_remove(s, "b-1", &e), 0);
	assert_int_equal(store_layer_collect(s, &ids, &n, &e), 0);
	assert_int_equal(n, 3);
	assert_string_equal(ids[0], "l-top");
	assert_string_equal(ids[2], "l-base");
	free(ids);
	assert_int_equal(number(s, "SELECT count(*) FROM layers"), 0);
	store_close(s);
}

static void what_is_not_committed_never_was(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();

	(void)state;
	assert_int_equal(store_begin(s, &e), 0);
	add_layer(s, "l-1", "");
	store_rollback(s);
	store_rollback(s); /* twice is fine */
	assert_int_equal(store_begin(s, &e), 0);
	add_layer(s, "l-2", "");
	store_close(s); /* in the middle */
	s = opened();
	assert_int_equal(number(s, "SELECT count(*) FROM layers"), 0);
	assert_int_equal(store_begin(s, &e), 0);
	add_layer(s, "l-3", "");
	assert_int_equal(store_commit(s, &e), 0);
	store_close(s);
	s = opened();
	assert_int_equal(number(s, "SELECT count(*) FROM layers"), 1);
	store_close(s);
}

/* Runs. */

static void note(const char *id, const char *command, const char *result)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_run r = { .status = "failed",
			       .command = (char *)command,
			       .result = (char *)result,
			       .started_ms = 1794700000123,
			       .exit_code = -1,
			       .wall_ms = 1.25 };

	snprintf(r.id, sizeof(r.id), "%s", id);
	snprintf(r.box, sizeof(r.box), "b-%s", id);
	if (store_run_note(dir, &r, &e) < 0)
		fail_msg("store_run_note: %s", e.text);
}

static struct store_run *list_runs(struct store *s, const struct store_run_filter *f, size_t expected)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_run *list = NULL;
	size_t n = 0;

	if (store_run_list(s, f, &list, &n, &e) < 0)
		fail_msg("store_run_list: %s", e.text);
	assert_int_equal(n, expected);
	return list;
}

static const struct store_run_filter every = { .limit = 1000, .results = true };

static void a_noted_run_comes_back(void **state)
{
	static const char odd[] = "a\tb\nc\\d\\t\\n\\\\ \"'\r\x01\xc3\xbc ";
	struct store_run *list;
	struct store *s;

	(void)state;
	note("r-1", odd, NULL);
	note("r-2", "", "{\"a\":\"\\n\\t\"}");
	note("r-3", "\\", "\n");
	s = opened();
	list = list_runs(s, &every, 3);
	assert_string_equal(list[2].id, "r-1"); /* newest first */
	assert_string_equal(list[2].box, "b-r-1");
	assert_string_equal(list[2].status, "failed");
	assert_string_equal(list[2].command, odd);
	assert_null(list[2].result);
	assert_int_equal(list[2].exit_code, -1);
	assert_int_equal(list[2].started_ms, 1794700000123);
	assert_true(list[2].wall_ms == 1.25);
	assert_string_equal(list[1].command, "");
	assert_string_equal(list[1].result, "{\"a\":\"\\n\\t\"}");
	assert_string_equal(list[0].command, "\\");
	assert_string_equal(list[0].result, "\n");
	store_run_list_finish(list, 3);
	assert_int_not_equal(access(in_dir("runs.notes"), F_OK), 0);
	assert_int_not_equal(access(in_dir("runs.import"), F_OK), 0);
	store_run_list_finish(list_runs(s, &every, 3), 3);
	store_close(s);
}

static void the_first_note_makes_the_directory(void **state)
{
	struct store_run r = { .id = "r-1", .status = "ok", .command = (char *)"true" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char deep[128];
	struct stat st;

	(void)state;
	snprintf(deep, sizeof(deep), "%s/x/y", dir);
	assert_int_equal(store_run_note(deep, &r, &e), 0);
	assert_int_equal(stat(deep, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	snprintf(deep, sizeof(deep), "%s/x/y/runs.notes", dir);
	assert_int_equal(stat(deep, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_torn_last_line_is_left_out(void **state)
{
	static const char torn[] = "r-2\t\tok\t0\t1\t2.000\tmake te";
	struct store_run *list;
	struct store *s;

	(void)state;
	note("r-1", "one", NULL);
	write_file("runs.notes", torn, sizeof(torn) - 1);
	s = opened();
	list = list_runs(s, &every, 1);
	assert_string_equal(list[0].id, "r-1");
	store_run_list_finish(list, 1);
	store_close(s);
}

/* After a full disk there is room again: what follows the torn line must not become part of it. */
static void a_torn_line_spoils_none_after_it(void **state)
{
	static const char whole[] = "r-2\t\tok\t0\t1\t2.000\tmake te";
	struct store_run *list;
	struct store *s;

	(void)state;
	for (size_t n = 1; n < sizeof(whole); n++) {
		write_file("runs.notes", whole, n);
		note("r-3", "three", NULL);
		s = opened();
		list = list_runs(s, &every, 1);
		assert_string_equal(list[0].id, "r-3");
		assert_string_equal(list[0].command, "three");
		store_run_list_finish(list, 1);
		assert_int_equal(db_exec(s, "DELETE FROM runs", &(struct aisbx_error){ 0 }), 0);
		store_close(s);
	}
}

static void a_run_is_imported_once(void **state)
{
	struct store_run *list;
	struct store *s;

	(void)state;
	note("r-1", "one", NULL);
	note("r-1", "again", NULL);
	s = opened();
	store_run_list_finish(list_runs(s, &every, 1), 1);
	/* Whoever imported before died after its commit and before it removed the file. */
	note("r-1", "one", NULL);
	note("r-2", "two", NULL);
	char from[128];
	snprintf(from, sizeof(from), "%s", in_dir("runs.notes"));
	assert_int_equal(rename(from, in_dir("runs.import")), 0);
	note("r-3", "three", NULL);
	list = list_runs(s, &every, 3);
	assert_string_equal(list[0].id, "r-3");
	assert_string_equal(list[1].id, "r-2");
	assert_string_equal(list[2].command, "one");
	store_run_list_finish(list, 3);
	store_close(s);
}

static void filters(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();
	struct store_run_filter f = every;
	struct store_run *list;

	(void)state;
	assert_int_equal(
		db_exec(s,
			"WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100) "
			"INSERT INTO runs (id, box, status, exit_code, started_ms, wall_ms, command) SELECT "
			"'r-' || i, "
			"'b-' || (i % 10), CASE WHEN i % 4 THEN 'ok' ELSE 'failed' END, i % 4, i * 1000, 1, "
			"'cmd' || i FROM n",
			&e),
		0);
	f.box = "b-3";
	store_run_list_finish(list_runs(s, &f, 10), 10);
	f.status = "failed";
	list = list_runs(s, &f, 0);
	store_run_list_finish(list, 0);
	f.box = NULL;
	list = list_runs(s, &f, 25);
	assert_string_equal(list[0].id, "r-100");
	assert_string_equal(list[24].id, "r-4");
	store_run_list_finish(list, 25);
	f = every;
	f.match = "md9";
	store_run_list_finish(list_runs(s, &f, 11), 11);
	f.match = "_";
	store_run_list_finish(list_runs(s, &f, 0), 0);
	f.match = "";
	store_run_list_finish(list_runs(s, &f, 100), 100);
	f = every;
	f.since_ms = 91000;
	store_run_list_finish(list_runs(s, &f, 10), 10);
	f.limit = 3;
	list = list_runs(s, &f, 3);
	assert_string_equal(list[0].id, "r-100");
	store_run_list_finish(list, 3);
	store_close(s);
}

/* Rows I = FIRST..LAST: command "word I", started at I seconds. */
static void add_runs(struct store *s, int first, int last, const char *word)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char sql[512];

	snprintf(sql, sizeof(sql),
		 "WITH RECURSIVE n(i) AS (VALUES (%d) UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
		 "INSERT INTO runs (id, box, status, exit_code, started_ms, wall_ms, command) SELECT 'r-' || "
		 "i, "
		 "'b-' || (i %% 3), CASE WHEN i %% 4 THEN 'ok' ELSE 'failed' END, i %% 4, i * 1000, 1, '%s ' "
		 "|| i FROM n",
		 first, last, word);
	assert_int_equal(db_exec(s, sql, &e), 0);
}

/* The same question, by reading every row. */
static int64_t count_by_hand(struct store *s, const struct store_run_filter *f)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	sqlite3_stmt *stmt = NULL;
	int64_t n;

	assert_int_equal(db_prepare(s, &stmt, &e,
				    "SELECT count(*) FROM runs WHERE (?1 IS NULL OR box = ?1) AND (?2 IS "
				    "NULL OR status = ?2) "
				    "AND instr(command, ?3) AND started_ms >= ?4",
				    "sssi", f->box, f->status, f->match, f->since_ms),
			 0);
	assert_int_equal(db_next(s, stmt, &e), 1);
	n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return n;
}

/* Every filter with every text, over whole blocks and the runs after them: none is missed, none invented. */
static void a_search_is_exact(void **state)
{
	static const char *const texts[] = {
		"",         "7",         "m",         "~",        "77",  "ma",           "~~",
		"make 1",   "ake 999",   "test",      "est 3001", "e t", "no such text", "make 40010",
		"\xc3\xbc", "make 1200", "test 1201", " "
	};
	static const char *const boxes[] = { NULL, "b-1", "b-none" }, *const statuses[] = { NULL, "failed",
											    "denied" };
	struct store *s = opened();

	(void)state;
	add_runs(s, 1, 1200, "make");
	add_runs(s, 1201, 4000, "test");
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
			for (int k = 0; k < 3 * 3 * 3; k++) {
				struct store_run_filter f = { .limit = 100000,
							      .match = texts[i],
							      .box = boxes[k % 3],
							      .status = statuses[k / 3 % 3],
							      .since_ms = (int64_t[]){ 0, 1200000,
										       9000000 }[k / 9] };
				int64_t n = count_by_hand(s, &f);
				struct store_run *list = list_runs(s, &f, (size_t)n);

				for (int64_t j = 1; j < n; j++) /* newest first */
					assert_true(list[j].started_ms < list[j - 1].started_ms);
				store_run_list_finish(list, (size_t)n);
			}
		assert_true(number(s, "SELECT count(*) FROM run_blocks") == 15 + round); /* 256 runs each */
		add_runs(s, 4001 + 100 * round, 4100 + 100 * round, "more"); /* 96 more fill one */
	}
	store_close(s);
}

/* A clock that is put back: newer runs look older, and are still found by their time. */
static void a_search_by_time_is_exact(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_run_filter f = { .limit = 100000, .since_ms = 3000000 };
	struct store *s = opened();

	(void)state;
	add_runs(s, 1, 4000, "make");
	assert_int_equal(db_exec(s, "UPDATE runs SET started_ms = 1000 WHERE seq > 2000", &e), 0);
	assert_int_equal(db_exec(s, "UPDATE runs SET started_ms = 9000000 WHERE seq IN (7, 3999)", &e), 0);
	store_run_list_finish(list_runs(s, &f, 2), 2);
	f.match = "make";
	store_run_list_finish(list_runs(s, &f, 2), 2);
	f.since_ms = 1500000;
	store_run_list_finish(list_runs(s, &f, 503), 503);
	store_close(s);
}

static void a_run_by_its_id(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_run r;
	struct store *s = opened();

	(void)state;
	note("r-1a", "one", "{\"x\":1}");
	note("r-1b", "two", NULL);
	note("r-1", "three", NULL);
	assert_int_equal(store_run_find(s, "r-1a", &r, &e), 0);
	assert_string_equal(r.command, "one");
	assert_string_equal(r.result, "{\"x\":1}");
	store_run_finish(&r);
	assert_int_equal(store_run_find(s, "r-1", &r, &e), 0); /* whole ids come first */
	assert_string_equal(r.command, "three");
	assert_null(r.result);
	store_run_finish(&r);
	assert_failed(store_run_find(s, "r-", &r, &e), EINVAL, e, "several runs");
	assert_failed(store_run_find(s, "r-2", &r, &e), ENOENT, e, "'r-2'");
	assert_failed(store_run_find(s, "", &r, &e), EINVAL, e, "several runs");
	store_close(s);
}

/* Where nobody reads, a run that finds many notes imports them. */
static void notes_do_not_pile_up(void **state)
{
	static char long_result[10000];
	struct stat st = { 0 };
	off_t most = 0;
	char id[24];
	struct store *s;

	(void)state;
	memset(long_result, 'x', sizeof(long_result) - 1);
	for (int i = 0; i < 500; i++) {
		snprintf(id, sizeof(id), "r-%d", i);
		note(id, "true", long_result);
		if (stat(in_dir("runs.notes"), &st) == 0 && st.st_size > most)
			most = st.st_size;
	}
	assert_true(most > 1 << 20);
	assert_true(most < (1 << 20) + 50000);
	s = opened();
	assert_true(number(s, "SELECT count(*) FROM runs") > 400);
	store_run_list_finish(list_runs(s, &every, 500), 500);
	store_close(s);
}

/* A note that cannot be imported now is neither lost nor a reason for the run to fail. */
static void notes_wait_for_a_broken_store(void **state)
{
	static char long_result[1 << 20];
	struct store *s;

	(void)state;
	memset(long_result, 'x', sizeof(long_result) - 1);
	write_file("store.db",
		   "this is no database, and long enough to be seen as none, says SQLite.................",
		   80);
	for (int i = 0; i < 3; i++)
		note(((const char *[]){ "r-1", "r-2", "r-3" })[i], "true", long_result);
	assert_int_equal(unlink(in_dir("store.db")), 0);
	s = opened();
	store_run_list_finish(list_runs(s, &every, 3), 3);
	store_close(s);
}

/* The tables of the first format, as far as steps after it change or read them. */
static const char first_format[] =
	"CREATE TABLE layers (id TEXT PRIMARY KEY, parent TEXT REFERENCES layers(id), frozen INTEGER NOT "
	"NULL DEFAULT 0)"
	" WITHOUT ROWID;"
	"CREATE TABLE boxes (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, top TEXT NOT NULL REFERENCES "
	"layers(id),"
	" profile TEXT NOT NULL, project TEXT, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,"
	" watermark_s INTEGER NOT NULL, watermark_ns INTEGER NOT NULL, autosnap INTEGER NOT NULL) WITHOUT "
	"ROWID;"
	"CREATE TABLE snapshots (id TEXT PRIMARY KEY, box TEXT NOT NULL REFERENCES boxes(id) ON DELETE "
	"CASCADE,"
	" name TEXT NOT NULL, layer TEXT NOT NULL REFERENCES layers(id), created_ms INTEGER NOT NULL,"
	" automatic INTEGER NOT NULL, seq INTEGER NOT NULL, UNIQUE (box, name)) WITHOUT ROWID;"
	"CREATE TABLE runs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, box TEXT, status TEXT NOT NULL,"
	" exit_code INTEGER, started_ms INTEGER NOT NULL, wall_ms REAL NOT NULL, command TEXT NOT NULL, "
	"result TEXT);"
	"CREATE INDEX runs_by_box ON runs(box, seq);"
	"CREATE INDEX runs_by_status ON runs(status, seq);"
	"CREATE INDEX runs_by_time ON runs(started_ms);"
	"PRAGMA user_version=1";

static void the_first_format_is_brought_up_to_date(void **state)
{
	static const char old[] = "\nr-5000\t\tok\t0\t1\t2.000\tmake old\t\t\n"; /* a note as it wrote them */
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_run_filter f = every;
	struct store before = { .dir = dir }, *s;

	(void)state;
	assert_int_equal(sqlite3_open(in_dir("store.db"), &before.db), SQLITE_OK);
	assert_int_equal(db_exec(&before, first_format, &e), 0);
	add_runs(&before, 1, 1000, "make");
	sqlite3_close(before.db);
	write_file("runs.notes", old, sizeof(old) - 1);
	s = opened();
	assert_true(number(s, "PRAGMA user_version") >= 2);
	f.match = "make 77";
	store_run_list_finish(list_runs(s, &f, 11), 11);
	f.match = "old";
	store_run_list_finish(list_runs(s, &f, 1), 1);
	assert_int_equal(number(s, "SELECT count(*) FROM run_blocks"), 3);
	store_close(s);
}

/* Boxes, runs and promotions of the format before owners had names of their own; names were taken by whoever
 * came first. */
static const char before_owners[] = "INSERT INTO layers (id) VALUES ('l-1'), ('l-2');"
				    "INSERT INTO boxes (id, name, top, profile, created_ms, expires_ms, "
				    "watermark_s, watermark_ns, autosnap, owner, shared) VALUES"
				    " ('b-1', 'mine', 'l-1', 'dev', 1, 2, 3, 4, 1, '', 0), ('b-2', 'theirs', "
				    "'l-2', 'strict', 5, 6, 7, 8, 0, 'mcp-1', 1);"
				    "INSERT INTO snapshots (id, box, name, layer, created_ms, automatic, "
				    "seq) VALUES ('s-1', 'b-1', 'one', 'l-1', 1, 0, 1),"
				    " ('s-2', 'b-2', 'one', 'l-2', 1, 1, 2);"
				    "INSERT INTO runs (id, box, status, started_ms, wall_ms, command) VALUES "
				    "('r-1', 'b-1', 'ok', 1, 1, 'a'),"
				    " ('r-2', 'b-2', 'ok', 1, 1, 'b'), ('r-3', NULL, 'ok', 1, 1, 'c'), "
				    "('r-4', 'b-gone', 'ok', 1, 1, 'd');"
				    "INSERT INTO promotions (id, box, box_name, target, state, created_ms, "
				    "changes) VALUES ('p-1', 'b-1', 'mine', '/t', 'done', 1, 1),"
				    " ('p-2', 'b-2', 'theirs', '/t', 'done', 1, 1);";

/* What step 8 made, as it was before it: the store of an older aisbx, with everything else as it is now. */
static const char without_owners[] =
	"PRAGMA foreign_keys=OFF;"
	"DROP TABLE current_boxes;"
	"DROP TABLE image_names; DROP TABLE image_layers; DROP TABLE images; DROP TABLE templates;"
	"DROP INDEX boxes_by_name; DROP INDEX boxes_shared; DROP INDEX runs_by_owner;"
	"ALTER TABLE runs DROP COLUMN owner; ALTER TABLE promotions DROP COLUMN owner;"
	"DROP TABLE boxes;"
	"CREATE TABLE boxes (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, top TEXT NOT NULL REFERENCES "
	"layers(id),"
	" profile TEXT NOT NULL, project TEXT, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,"
	" watermark_s INTEGER NOT NULL, watermark_ns INTEGER NOT NULL, autosnap INTEGER NOT NULL,"
	" owner TEXT NOT NULL DEFAULT '', shared INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;"
	"CREATE INDEX boxes_by_top ON boxes(top);"
	"PRAGMA user_version=7;";

static void names_become_each_owners_own(void **state)
{
	struct store_box b = { 0 }, twin = {
		.id = "b-3", .name = "mine", .top = "l-2", .profile = "dev", .owner = "mcp-1"
	};
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();

	(void)state;
	assert_int_equal(db_exec(s, without_owners, &e), 0);
	assert_int_equal(db_exec(s, before_owners, &e), 0);
	store_close(s);
	s = opened();
	assert_int_equal(number(s, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	assert_int_equal(number(s, "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%_aside%'"), 0);
	assert_int_equal(number(s, "SELECT count(*) FROM snapshots WHERE (id, box, seq) IN (VALUES ('s-1', "
				   "'b-1', 1), ('s-2', 'b-2', 2))"),
			 2);
	assert_int_equal(number(s, "SELECT count(*) FROM runs WHERE owner = 'mcp-1' AND id = 'r-2'"), 1);
	assert_int_equal(number(s, "SELECT count(*) FROM runs WHERE owner = ''"), 3);
	assert_int_equal(number(s, "SELECT count(*) FROM promotions WHERE owner = 'mcp-1' AND id = 'p-2'"),
			 1);
	assert_int_equal(store_box_find(s, "theirs", &b, &e), 0);
	assert_string_equal(b.owner, "mcp-1");
	assert_true(b.shared && b.expires_ms == 6 && b.watermark_ns == 8 && !strcmp(b.profile, "strict"));
	store_box_finish(&b);
	assert_int_equal(store_box_add(s, &twin, &e), 0); /* which the old one refused */
	assert_int_equal(store_box_remove(s, "b-1", &e), 0);
	assert_int_equal(number(s, "SELECT count(*) FROM snapshots"), 1); /* still by cascade */
	store_close(s);
}

static void check_found(struct store *s, const char *key, const char *viewer, const char *id)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_box b = { 0 };
	int r = store_box_find_for(s, key, viewer, &b, &e);

	if (id ? r < 0 || strcmp(b.id, id) != 0 : r != -ENOENT)
		fail_msg("'%s' for '%s': %s, not %s", key, viewer ? viewer : "the person",
			 r < 0 ? e.text : b.id, id ? id : "nothing");
	store_box_finish(&b);
}

/* Each with a box 't1'; who looks finds their own. */
static void names_of_several_owners(void **state)
{
	static const char *const owners[] = { "", "ann", "bob", "cat" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();
	struct store_box b = { 0 };

	(void)state;
	add_layer(s, "l-1", "");
	for (int i = 0; i < 4; i++) {
		struct store_box box = { .name = "t1", .top = "l-1", .profile = "dev", .shared = i == 3 };

		snprintf(box.id, sizeof(box.id), "b-%d", i);
		snprintf(box.owner, sizeof(box.owner), "%s", owners[i]);
		assert_int_equal(store_box_add(s, &box, &e), 0);
		assert_failed(store_box_add(s, &box, &e), EEXIST, e, "already");
	}
	check_found(s, "t1", NULL, "b-0");
	check_found(s, "t1", "ann", "b-1");
	check_found(s, "t1", "bob", "b-2");
	check_found(s, "t1", "dan", "b-3"); /* the shared one */
	check_found(s, "bob/t1", NULL, "b-2");
	check_found(s, "/t1", NULL, "b-0");
	check_found(s, "bob/t1", "ann", NULL);
	check_found(s, "/t1", "ann", NULL);
	check_found(s, "cat/t1", "ann", "b-3");
	check_found(s, "b-2", NULL, "b-2");
	check_found(s, "b-2", "ann", NULL);
	check_found(s, "b-3", "ann", "b-3");
	check_found(s, "nobody/t1", NULL, NULL);
	assert_int_equal(store_box_remove(s, "b-0", &e), 0);
	assert_failed(store_box_find(s, "t1", &b, &e), EINVAL, e, "OWNER/t1");
	assert_int_equal(store_box_rename(s, "b-1", "t2", &e), 0);
	check_found(s, "t2", NULL, "b-1"); /* nobody else has one */
	check_found(s, "t2", "bob", NULL);
	assert_int_equal(store_box_rename(s, "b-2", "t2", &e), 0);
	store_close(s);
}

static void runs_have_owners(void **state)
{
	struct store_run run = { .id = "r-1", .status = "ok", .command = (char *)"make", .owner = "ann" },
			 found;
	struct store_run_filter f = { .limit = 10, .owner = "ann" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();

	(void)state;
	assert_int_equal(store_run_note(dir, &run, &e), 0);
	run.owner[0] = '\0';
	strcpy(run.id, "r-2");
	assert_int_equal(store_run_note(dir, &run, &e), 0);
	store_run_list_finish(list_runs(s, &f, 1), 1);
	f.match = "make";
	store_run_list_finish(list_runs(s, &f, 1), 1);
	f.owner = "bob";
	store_run_list_finish(list_runs(s, &f, 0), 0);
	f.owner = NULL;
	store_run_list_finish(list_runs(s, &f, 2), 2);
	assert_int_equal(store_run_find(s, "r-1", &found, &e), 0);
	assert_string_equal(found.owner, "ann");
	store_run_finish(&found);
	store_close(s);
}

static void events(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_event_filter f = { .limit = 10 };
	struct store_event *list = NULL;
	struct store *s = opened();
	size_t n = 0;

	(void)state;
	assert_int_equal(store_event_add(s, "box.created", "b-1", NULL, &e, "{\"name\":\"%s\"}", "one"), 0);
	assert_int_equal(store_event_add(s, "box.removed", "b-2", "r-1", &e, "{}"), 0);
	assert_int_equal(store_begin(s, &e), 0);
	assert_int_equal(store_event_add(s, "box.never", "b-1", NULL, &e, "{}"), 0);
	store_rollback(s);
	assert_int_equal(store_event_list(s, &f, &list, &n, &e), 0);
	assert_int_equal(n, 2);
	assert_string_equal(list[0].kind, "box.removed"); /* newest first */
	assert_string_equal(list[0].run, "r-1");
	assert_true(list[0].seq > list[1].seq);
	assert_string_equal(list[1].what, "{\"name\":\"one\"}");
	assert_string_equal(list[1].run, "");
	store_event_list_finish(list, n);
	f.box = "b-1";
	assert_int_equal(store_event_list(s, &f, &list, &n, &e), 0);
	assert_int_equal(n, 1);
	store_event_list_finish(list, n);
	f.since_ms = INT64_MAX;
	assert_int_equal(store_event_list(s, &f, &list, &n, &e), 0);
	assert_int_equal(n, 0);
	store_event_list_finish(list, n);
	store_close(s);
}

static void many_note_while_one_imports(void **state)
{
	enum { WRITERS = 8, NOTES = 100 };
	struct store_run_filter f = { .limit = 10 * WRITERS * NOTES };
	pid_t pids[WRITERS];
	struct store *s = opened();
	int status, alive = WRITERS;

	(void)state;
	for (int w = 0; w < WRITERS; w++) {
		pids[w] = fork();
		assert_true(pids[w] >= 0);
		if (pids[w] == 0) {
			struct aisbx_error e = AISBX_ERROR_INIT;
			int r = 0;

			for (int i = 0; r == 0 && i < NOTES; i++) {
				struct store_run run = { .status = "ok", .command = (char *)"true" };

				snprintf(run.id, sizeof(run.id), "r-%d-%d", w, i);
				r = store_run_note(dir, &run, &e);
			}
			_exit(r < 0);
		}
	}
	while (alive) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		pid_t ended;

		assert_int_equal(store_run_import(s, &e), 0);
		while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
			assert_int_equal(status, 0);
			alive--;
		}
	}
	store_run_list_finish(list_runs(s, &f, WRITERS * NOTES), WRITERS * NOTES);
	store_close(s);
}

#define in_a_dir(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

static struct store_saved_artifact saved(const char *id, const char *name, const char *sum, const char *owner,
					 int64_t size)
{
	struct store_saved_artifact a = { .path = (char *)"/p",
					  .type = "file",
					  .media = "text/plain",
					  .box = "b-1",
					  .box_name = "box",
					  .size = size };

	strcpy(a.id, id);
	strcpy(a.name, name);
	strcpy(a.sha256, sum);
	strcpy(a.owner, owner);
	return a;
}

static void what_is_kept_of_boxes(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();
	struct store_saved_artifact rows[] = { saved("a-1", "x", "s1", "", 10),
					       saved("a-2", "x", "s1", "agent", 10),
					       saved("a-3", "a-1", "s3", "other", 5) };
	struct store_saved_artifact found, *list = NULL;
	int64_t number = 0;
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(store_saved_artifact_add(s, &rows[i], &e), 0);
	assert_int_equal(store_saved_artifact_find(s, "x", NULL, &found, &e),
			 0); /* the newest of that name */
	assert_string_equal(found.id, "a-2");
	assert_null(found.note);
	store_saved_artifact_finish(&found);
	assert_int_equal(store_saved_artifact_find(s, "a-1", NULL, &found, &e),
			 0); /* an id goes before a name */
	assert_string_equal(found.id, "a-1");
	store_saved_artifact_finish(&found);
	assert_int_equal(store_saved_artifact_find(s, "a-1", "agent", &found, &e),
			 -ENOENT); /* of somebody else */
	assert_int_equal(store_saved_artifact_find(s, "x", "other", &found, &e), -ENOENT);
	assert_int_equal(store_saved_artifact_list(s, "box", NULL, &list, &n, &e), 0);
	assert_int_equal(n, 3);
	assert_string_equal(list[0].id, "a-3");
	store_saved_artifact_list_finish(list, n);
	assert_int_equal(store_saved_artifact_list(s, NULL, "agent", &list, &n, &e), 0);
	assert_int_equal(n, 1);
	store_saved_artifact_list_finish(list, n);
	assert_int_equal(store_saved_artifact_total(s, &number, &e), 0);
	assert_int_equal(number, 15); /* the same content once */
	assert_int_equal(store_saved_artifact_remove(s, "a-1", &e), 0);
	assert_int_equal(store_saved_artifact_count(s, "s1", &number, &e), 0);
	assert_int_equal(number, 1);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_dir(made_from_nothing),
		in_a_dir(opened_again),
		in_a_dir(many_open_at_once),
		in_a_dir(a_newer_format_is_refused),
		in_a_dir(a_broken_file_is_named),
		in_a_dir(a_broken_page_is_named),
		in_a_dir(a_directory_that_cannot_be_written),
		in_a_dir(a_directory_that_is_none),
		in_a_dir(boxes),
		in_a_dir(a_box_needs_its_layer),
		in_a_dir(snapshots),
		in_a_dir(what_is_kept_of_boxes),
		in_a_dir(chains),
		in_a_dir(collect_takes_leaves_first),
		in_a_dir(what_a_layer_stands_for_may_go),
		in_a_dir(what_is_not_committed_never_was),
		in_a_dir(a_noted_run_comes_back),
		in_a_dir(the_first_note_makes_the_directory),
		in_a_dir(a_torn_last_line_is_left_out),
		in_a_dir(a_torn_line_spoils_none_after_it),
		in_a_dir(a_run_is_imported_once),
		in_a_dir(filters),
		in_a_dir(a_search_is_exact),
		in_a_dir(a_search_by_time_is_exact),
		in_a_dir(a_run_by_its_id),
		in_a_dir(notes_do_not_pile_up),
		in_a_dir(notes_wait_for_a_broken_store),
		in_a_dir(the_first_format_is_brought_up_to_date),
		in_a_dir(names_become_each_owners_own),
		in_a_dir(names_of_several_owners),
		in_a_dir(runs_have_owners),
		in_a_dir(events),
		in_a_dir(many_note_while_one_imports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
