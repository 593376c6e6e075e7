/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manifests: a copy of the rows of a layer, a promotion or an artifact, as a small file beside it, from which
 * the store can be rebuilt. Written in the transaction that changes the rows; never in a directory that a box
 * writes to.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/manifest.h"
#include "store/store.h"

#define MARK "store.db.mark"
/* A manifest that was written more often is begun anew. */
#define LONG_BYTES 65536

/* About one thing, at most. */
#define QUERIES 7

/* Each row as it is: columns that are added one day are in it, too. The first query decides whether there is
 * anything to say. */
static const struct {
	const char *before, *behind; /* the id, in the state directory */
	struct {
		const char *table, *sql;
		const char *beside; /* table of a second row that may follow in the same, from its `id` on */
	} rows[QUERIES];
} kinds[] = {
	[DB_LAYER] = { "layers/",
		       "/" MANIFEST,
		       { { "layers",
			   "SELECT * FROM layers l LEFT JOIN boxes b ON b.top = l.id WHERE l.id = ?1",
			   "boxes" },
			 { "boxes", "SELECT * FROM boxes WHERE id IN (SELECT box FROM snapshots WHERE layer "
				    "= ?1) AND top <> ?1" },
			 { "snapshots", "SELECT * FROM snapshots WHERE layer = ?1" },
			 { "images", "SELECT * FROM images WHERE top = ?1" },
			 { "image_names", "SELECT * FROM image_names WHERE image IN (SELECT id FROM images "
					  "WHERE top = ?1)" },
			 { "image_layers", "SELECT * FROM image_layers WHERE layer = ?1" },
			 { "templates", "SELECT * FROM templates WHERE layer = ?1" } } },
	[DB_PROMOTION] = { "promotions/",
			   "/" MANIFEST,
			   { { "promotions", "SELECT * FROM promotions WHERE id = ?1" },
			     { "artifacts", "SELECT * FROM artifacts WHERE promotion = ?1" } } },
	[DB_SAVED] = { "artifacts/", "." MANIFEST, { { "saved", "SELECT * FROM saved WHERE id = ?1" } } },
};

static int add(struct db_touched **list, size_t *n, enum db_kind kind, const char *id, struct aisbx_error *e)
{
	struct db_touched *grown;

	for (size_t i = 0; i < *n && i < 64; i++) /* twice does no harm */
		if ((*list)[i].kind == kind && !strcmp((*list)[i].id, id))
			return 0;
	if (!*id || strlen(id) >= STORE_ID_MAX || strchr(id, '/'))
		return 0; /* no id of ours */
	grown = realloc(*list, (*n + 1) * sizeof(*grown));
	if (!grown)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "write manifests");
	*list = grown;
	grown[*n] = (struct db_touched){ .kind = kind };
	strcpy(grown[(*n)++].id, id);
	return 0;
}

int db_touch(struct store *s, enum db_kind kind, const char *id, struct aisbx_error *e)
{
	return add(&s->touched, &s->n_touched, kind, id, e);
}

static int add_all(struct store *s, struct db_touched **list, size_t *n, enum db_kind kind,
		   struct aisbx_error *e, const char *sql, const char *arg)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	char id[STORE_ID_MAX];
	int r = db_prepare(s, &stmt, e, sql, arg ? "s" : "", arg);

	while (r >= 0 && (r = db_next(s, stmt, e)) > 0) {
		db_text(stmt, 0, id, sizeof(id));
		r = add(list, n, kind, id, e);
	}
	return r;
}

int db_touch_all(struct store *s, enum db_kind kind, struct aisbx_error *e, const char *sql, const char *arg)
{
	return add_all(s, &s->touched, &s->n_touched, kind, e, sql, arg);
}

int db_free_layers(struct store *s, struct aisbx_error *e, const char *sql, const char *arg)
{
	return add_all(s, &s->freed, &s->n_freed, DB_LAYER, e, sql, arg);
}

int db_touch_freed(struct store *s, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->n_freed; i++) {
		bool exists = false;

		r = store_layer_exists(s, s->freed[i].id, &exists, e);
		if (r == 0 && exists)
			r = db_touch(s, DB_LAYER, s->freed[i].id, e);
	}
	s->n_freed = 0;
	return r;
}

static void add_row(struct buf *b, const char *table, const char *beside, sqlite3_stmt *stmt)
{
	buf_addf(b, "%s", table);
	for (int i = 0; i < sqlite3_column_count(stmt); i++) {
		const char *name = sqlite3_column_name(stmt, i);

		if (sqlite3_column_type(stmt, i) == SQLITE_NULL)
			continue;
		if (beside && i > 0 && !strcmp(name, "id"))
			buf_addf(b, "\n%s", beside);
		buf_addf(b, "\t%s=", name);
		db_escape(b, (const char *)sqlite3_column_text(stmt, i));
	}
	buf_add(b, "\n", 1);
}

/* What is not frozen is no snapshot: most of what is written is a box's top, and one question is enough. */
static bool is_open_layer(enum db_kind kind, const struct buf *text)
{
	return kind == DB_LAYER && text->len &&
	       memmem(text->data, text->len, "\tfrozen=0", strlen("\tfrozen=0"));
}

/* The statements of one kind; they serve many. */
struct statements {
	enum db_kind kind;
	sqlite3_stmt *list[QUERIES]; /* owned */
};

static void statements_finish(struct statements *q)
{
	for (size_t i = 0; i < QUERIES; i++) {
		sqlite3_finalize(q->list[i]);
		q->list[i] = NULL;
	}
}

static int ask(struct store *s, struct statements *q, size_t i, const char *id, struct aisbx_error *e)
{
	if (!q->list[i])
		return db_prepare(s, &q->list[i], e, kinds[q->kind].rows[i].sql, "s", id);
	sqlite3_reset(q->list[i]);
	return sqlite3_bind_text(q->list[i], 1, id, -1, SQLITE_TRANSIENT) == SQLITE_OK
		       ? 0
		       : db_fail(s, e, "write a manifest");
}

/* Empty: there are no rows. */
static int compose(struct store *s, struct statements *q, const struct db_touched *t,
		   const struct manifest_when *when, struct buf *ret, struct aisbx_error *e)
{
	int r = 0;

	if (q->kind != t->kind)
		statements_finish(q);
	q->kind = t->kind;
	for (size_t i = 0; i < QUERIES && kinds[t->kind].rows[i].sql && r == 0; i++) {
		sqlite3_stmt *stmt;

		r = ask(s, q, i, t->id, e);
		stmt = q->list[i];
		while (r >= 0 && (r = db_next(s, stmt, e)) > 0) {
			if (!ret->len) /* the first line ends what a full disk may have torn */
				buf_addf(ret, "\n" MANIFEST_HEAD "\nat\t%lld\t%lld\n", (long long)when->at,
					 (long long)when->from);
			add_row(ret, kinds[t->kind].rows[i].table, kinds[t->kind].rows[i].beside, stmt);
		}
		if (r == 0 && !ret->len)
			return 0;
		if (is_open_layer(t->kind, ret))
			break;
	}
	buf_addf(ret, MANIFEST_END "\n");
	if (r == 0 && ret->failed)
		r = aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "write a manifest");
	return r;
}

/*
 * Behind what is there: the last whole one counts. That is as good as a new file in its place, a torn one is
 * seen, and it costs neither a rename nor the flush that file systems make of one.
 */
static int put(const char *path, const struct buf *text, bool shorten)
{
	scoped(drop_mem) char *new = NULL;
	scoped(drop_fd) int fd = -1;
	ssize_t n;

	if (shorten && asprintf(&new, "%s.new", path) < 0)
		return -ENOMEM;
	fd = open(shorten ? new : path,
		  O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (shorten ? O_TRUNC : O_APPEND), 0600);
	if (fd < 0)
		return -errno;
	n = write(fd, text->data, text->len);
	if (n != (ssize_t)text->len)
		return n < 0 ? -errno : -ENOSPC;
	return shorten && rename(new, path) < 0 ? -errno : 0;
}

static char *path_of(const struct store *s, const struct db_touched *t)
{
	char *path;

	return asprintf(&path, "%s/%s%s%s", s->dir, kinds[t->kind].before, t->id, kinds[t->kind].behind) < 0
		       ? NULL
		       : path;
}

static int write_one(struct store *s, struct statements *q, const struct db_touched *t,
		     const struct manifest_when *when, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	scoped(buf_finish) struct buf old = { 0 };
	scoped(drop_mem) char *path = path_of(s, t);
	struct manifest_when then;
	size_t size = 0;
	int r = path ? compose(s, q, t, when, &text, e)
		     : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "write a manifest");

	if (r < 0)
		return r;
	if (!text.len) {
		unlink(path);
		return 0;
	}
	if (manifest_load(path, &old, &then, &size) == 0 && manifest_is_same(&text, &old))
		return 0;
	r = put(path, &text, size > LONG_BYTES);
	if (r < 0 && r != -ENOENT) /* without a directory there is nothing it could be a manifest of */
		return aisbx_fail(e, AISBX_AREA_STORE, -r, "write '%s'", path);
	return 0;
}

/*
 * A manifest that was written after more than this store knows: then the store is an older copy, and must not
 * write over it. One transaction may be missing, of who was killed before it was committed.
 */
static int check_old(struct store *s, const struct db_touched *t, const struct manifest_when *when,
		     struct aisbx_error *e)
{
	scoped(buf_finish) struct buf old = { 0 };
	scoped(drop_mem) char *path = path_of(s, t);
	struct manifest_when then;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read a manifest");
	if (manifest_load(path, &old, &then, NULL) < 0 || then.from <= when->from)
		return 0; /* none, or half of one */
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_STORE, EUCLEAN,
			    "the store in '%s' is older than the files beside it ('%s'); 'aisbx recover "
			    "--rebuild' updates it",
			    s->dir, path);
}

static int find_when(struct store *s, struct manifest_when *ret, struct aisbx_error *e)
{
	int r;

	*ret = (struct manifest_when){ s->mark.event, s->before };
	if (s->mark.event) /* the newest there is */
		return 0;
	r = db_newest_event(s, &ret->at, e);
	ret->from = ret->at;
	return r;
}

int db_manifests_write(struct store *s, struct aisbx_error *e)
{
	scoped(statements_finish) struct statements q = { 0 };
	struct manifest_when when;
	int r = s->n_touched ? find_when(s, &when, e) : 0;

	for (size_t i = 0; r == 0 && i < s->n_touched; i++)
		r = check_old(s, &s->touched[i], &when, e);
	for (size_t i = 0; r == 0 && i < s->n_touched; i++) {
		s->touched[i].written = true;
		r = write_one(s, &q, &s->touched[i], &when, e);
	}
	return r;
}

void db_manifests_restore(struct store *s)
{
	scoped(statements_finish) struct statements q = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct manifest_when when;

	s->mark.event = 0;
	if (s->n_touched && s->touched[0].written && find_when(s, &when, &ignored) == 0)
		for (size_t i = 0; i < s->n_touched && s->touched[i].written; i++)
			write_one(s, &q, &s->touched[i], &when, &ignored);
	s->n_touched = 0;
}

int store_manifests_renew(struct store *s, struct aisbx_error *e)
{
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	r = db_touch_all(s, DB_LAYER, e, "SELECT id FROM layers", NULL);
	if (r == 0)
		r = db_touch_all(s, DB_PROMOTION, e, "SELECT id FROM promotions WHERE state <> 'dropped'",
				 NULL);
	if (r == 0)
		r = db_touch_all(s, DB_SAVED, e, "SELECT id FROM saved", NULL);
	return db_end(s, own, r, e);
}

int db_newest_event(struct store *s, int64_t *ret, struct aisbx_error *e)
{
	return db_number(s, ret, e, "SELECT max(seq) FROM events", "");
}

static int open_mark(const char *dir, int flags)
{
	scoped(drop_mem) char *path = NULL;
	int fd;

	if (asprintf(&path, "%s/" MARK, dir) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? -errno : fd;
}

/* Eight bytes at once: who reads a number sees the old one or the new one. */
int db_mark_read(const char *dir, struct db_mark *ret)
{
	scoped(drop_fd) int fd = open_mark(dir, O_RDONLY);

	if (fd < 0)
		return fd;
	return read(fd, ret, sizeof(*ret)) == sizeof(*ret) ? 0 : -ENOENT;
}

void db_mark_write(const char *dir, const struct db_mark *m)
{
	scoped(drop_fd) int fd = open_mark(dir, O_WRONLY | O_CREAT);

	if (fd >= 0 && pwrite(fd, m, sizeof(*m), 0) != sizeof(*m) &&
	    ftruncate(fd, 0) < 0) /* an empty one says nothing wrong */
		log_debug("'%s/" MARK "' cannot be written", dir);
}
