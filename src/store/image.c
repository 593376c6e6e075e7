/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of images and their names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

/* Of a digest, when that is all that somebody gives. */
#define PREFIX_MIN 12

#define COLUMNS "i.id, i.digest, i.top, i.size, i.created_ms, i.source"

void store_image_finish(struct store_image *i)
{
	free(i->config);
	free(i->manifest);
	free(i->source);
	i->config = i->manifest = i->source = NULL;
	strlist_finish(&i->names);
}

/*
 * In the table, "IDS:DIGEST" is the digest of an image whose layers are for subordinate ids: the same image
 * can be there for others as well.
 */
static void write_key(const char *digest, const char *ids, char ret[STORE_DIGEST_MAX + STORE_IDS_MAX])
{
	snprintf(ret, STORE_DIGEST_MAX + STORE_IDS_MAX, "%s%s%s", ids, *ids ? ":" : "", digest);
}

static void read_key(const char *key, struct store_image *i)
{
	const char *colon = *key >= '0' && *key <= '9' ? strchr(key, ':') : NULL;

	colon = colon ? strchr(colon + 1, ':') : NULL;
	if (colon && (size_t)(colon - key) < sizeof(i->ids)) {
		memcpy(i->ids, key, (size_t)(colon - key));
		key = colon + 1;
	}
	snprintf(i->digest, sizeof(i->digest), "%.*s", (int)sizeof(i->digest) - 1, key);
}

int store_image_add(struct store *s, const struct store_image *i, struct aisbx_error *e)
{
	char key[STORE_DIGEST_MAX + STORE_IDS_MAX];
	int r;

	write_key(i->digest, i->ids, key);
	r = db_change(s, e,
		      "INSERT INTO images (id, digest, config, manifest, top, size, created_ms, source) "
		      "VALUES (?,?,?,?,?,?,?,?)",
		      "sssssiis", i->id, key, i->config, i->manifest, i->top, i->size, i->created_ms,
		      i->source ? i->source : "");

	if (r == -EEXIST)
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_STORE, EEXIST,
				    "the image %s is already here", i->digest);
	return r < 0 ? r : db_touch(s, DB_LAYER, i->top, e);
}

static int read_names(struct store *s, const char *image, struct strlist *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e, "SELECT name FROM image_names WHERE image = ? ORDER BY name", "s",
			   image);

	while (r >= 0 && (r = db_next(s, stmt, e)) > 0)
		strlist_add(ret, (const char *)sqlite3_column_text(stmt, 0));
	return r == 0 && ret->failed ? aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read an image") : r;
}

/* Config and manifest only where the statement has them. */
static int read_image(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_image *i = ret;
	char key[STORE_DIGEST_MAX + STORE_IDS_MAX];
	bool whole = sqlite3_column_count(stmt) > 6;

	db_text(stmt, 0, i->id, sizeof(i->id));
	db_text(stmt, 1, key, sizeof(key));
	read_key(key, i);
	db_text(stmt, 2, i->top, sizeof(i->top));
	i->size = sqlite3_column_int64(stmt, 3);
	i->created_ms = sqlite3_column_int64(stmt, 4);
	i->source = db_copy_text(stmt, 5);
	if (whole) {
		i->config = db_copy_text(stmt, 6);
		i->manifest = db_copy_text(stmt, 7);
	}
	if (!i->source || (whole && (!i->config || !i->manifest)))
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read an image");
	return read_names(s, i->id, &i->names, e);
}

static void finish_image(void *row)
{
	store_image_finish(row);
}

static const struct db_rows images = { "images", NULL, sizeof(struct store_image), read_image, finish_image };

void store_image_list_finish(struct store_image *list, size_t n)
{
	db_list_finish(&images, list, n);
}

int store_image_missing(const char *key, struct aisbx_error *e)
{
	return aisbx_refuse(
		e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
		"there is no image '%.200s'; 'aisbx image ls' lists them, 'aisbx image pull %.200s' "
		"fetches it",
		key, key);
}

/* The beginning of a digest that KEY is; "" when it is none. */
static void prefix_of(const char *key, char ret[STORE_DIGEST_MAX])
{
	const char *colon = strchr(key, ':'), *hex = colon ? colon + 1 : key;
	size_t n = strlen(hex);

	ret[0] = '\0';
	if (n < PREFIX_MIN || n > 128 || strspn(hex, "0123456789abcdef") != n)
		return;
	if (!colon)
		snprintf(ret, STORE_DIGEST_MAX, "sha256:%s", hex);
	else if (!strncmp(key, "sha256:", 7) || !strncmp(key, "sha512:", 7))
		snprintf(ret, STORE_DIGEST_MAX, "%s", key);
}

int store_image_find(struct store *s, const char *key, struct store_image *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	char prefix[STORE_DIGEST_MAX];
	struct store_image *list = NULL;
	size_t n = 0;
	int r;

	prefix_of(key, prefix);
	/* What is exactly this comes first. */
	r = db_prepare(s, &stmt, e,
		       "SELECT " COLUMNS
		       ", i.config, i.manifest FROM images i WHERE i.id = ?1 OR i.digest = ?1 "
		       "OR i.id = (SELECT image FROM image_names WHERE name = ?1) OR (?2 <> '' AND "
		       "substr(i.digest, 1, length(?2)) = ?2) ORDER BY coalesce(i.id = (SELECT image FROM "
		       "image_names WHERE name = ?1), 0) DESC LIMIT 2",
		       "ss", key, prefix);
	r = db_list(s, r, stmt, &images, &list, &n, e);
	if (r < 0)
		return r;
	if (n == 2 && !strlist_has(&list[0].names, key)) {
		store_image_list_finish(list, n);
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_STORE, EINVAL,
				    "the digests of several images begin with '%.80s'; give more of it", key);
	}
	if (n == 2)
		store_image_finish(&list[1]);
	if (n)
		*ret = list[0];
	free(list);
	return n ? 0 : store_image_missing(key, e);
}

int store_image_find_for(struct store *s, const char *digest, const char *ids, struct store_image *ret,
			 struct aisbx_error *e)
{
	char key[STORE_DIGEST_MAX + STORE_IDS_MAX];

	write_key(digest, ids, key);
	return store_image_find(s, key, ret, e);
}

int store_image_variants(struct store *s, const char *digest, struct strlist *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   "SELECT id FROM images WHERE digest GLOB '[0-9]*:' || ?1 ORDER BY created_ms, id",
			   "s", digest);

	while (r >= 0 && (r = db_next(s, stmt, e)) > 0)
		strlist_add(ret, (const char *)sqlite3_column_text(stmt, 0));
	return r == 0 && ret->failed ? aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read images") : r;
}

int store_image_list(struct store *s, struct store_image **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   "SELECT " COLUMNS
			   " FROM images i ORDER BY coalesce((SELECT min(name) FROM image_names "
			   "WHERE image = i.id), i.source), i.created_ms, i.id",
			   "");

	return db_list(s, r, stmt, &images, ret, ret_n, e);
}

/* Its manifest speaks of the image and its names. */
static int touch_top(struct store *s, const char *image, struct aisbx_error *e)
{
	return db_touch_all(s, DB_LAYER, e, "SELECT top FROM images WHERE id = ?1", image);
}

int store_image_remove(struct store *s, const char *id, struct aisbx_error *e)
{
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	r = touch_top(s, id, e);
	if (r == 0)
		r = db_change(s, e, "DELETE FROM images WHERE id = ?", "s", id);
	return db_end(s, own, r, e);
}

int store_image_users(struct store *s, const char *id, size_t limit, struct strlist *ret, size_t *ret_n,
		      struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(
		s, &stmt, e,
		"SELECT 'box', CASE owner WHEN '' THEN name ELSE owner || '/' || name END FROM boxes "
		"WHERE image = ?1 AND image <> '' UNION ALL SELECT 'template', CASE owner WHEN '' THEN "
		"name ELSE owner || '/' || name END FROM templates WHERE image = ?1 ORDER BY 1, 2",
		"s", id);

	*ret_n = 0;
	while (r >= 0 && (r = db_next(s, stmt, e)) > 0)
		if ((*ret_n)++ < limit)
			strlist_addf(ret, "%s '%s'", (const char *)sqlite3_column_text(stmt, 0),
				     (const char *)sqlite3_column_text(stmt, 1));
	return r == 0 && ret->failed ? aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "list who uses an image") : r;
}

int store_image_name_set(struct store *s, const char *name, const char *image, struct aisbx_error *e)
{
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	/* The manifest of who had the name before must say it no more. */
	r = db_touch_all(s, DB_LAYER, e,
			 "SELECT top FROM images WHERE id = (SELECT image FROM image_names WHERE name = ?1)",
			 name);
	if (r == 0)
		r = touch_top(s, image, e);
	if (r == 0)
		r = db_change(s, e, "INSERT OR REPLACE INTO image_names (name, image) VALUES (?,?)", "ss",
			      name, image);
	return db_end(s, own, r, e);
}

int store_image_name_remove(struct store *s, const char *name, struct aisbx_error *e)
{
	int64_t there = 0;
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	r = db_number(s, &there, e, "SELECT count(*) FROM image_names WHERE name = ?", "s", name);
	if (r == 0 && !there)
		r = store_image_missing(name, e);
	if (r == 0)
		r = db_touch_all(
			s, DB_LAYER, e,
			"SELECT top FROM images WHERE id = (SELECT image FROM image_names WHERE name = ?1)",
			name);
	if (r == 0)
		r = db_change(s, e, "DELETE FROM image_names WHERE name = ?", "s", name);
	return db_end(s, own, r, e);
}
