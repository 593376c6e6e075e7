/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of images: found by name, added, removed. */
#include "box/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/image_rules.h"
#include "box/integrity.h"
#include "layer/layer.h"

/* Of those who stand on an image that somebody wants to remove. */
#define NAMED_USERS 5

/* "registry.example:5000/a", "localhost/a": a first part like this is a registry. */
static bool has_registry(const char *name)
{
	size_t n = strcspn(name, "/");

	return name[n] &&
	       (memchr(name, '.', n) || memchr(name, ':', n) || (n == 9 && !strncmp(name, "localhost", 9)));
}

static bool has_tag(const char *name)
{
	const char *slash = strrchr(name, '/');

	return strchr(slash ? slash : name, ':') != NULL;
}

/* All that it may mean, the nearest first. */
static void spell_out(const char *name, struct strlist *ret)
{
	const char *tag = has_tag(name) ? "" : ":" BOX_IMAGE_TAG;

	strlist_add(ret, name);
	if (*tag)
		strlist_addf(ret, "%s%s", name, tag);
	if (!has_registry(name))
		strlist_addf(ret,
			     strchr(name, '/') ? BOX_IMAGE_REGISTRY "/%s%s"
					       : BOX_IMAGE_REGISTRY "/" BOX_IMAGE_LIBRARY "/%s%s",
			     name, tag);
}

int box_image_resolve(struct box_state *s, const char *key, struct store_image *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	const char *at;
	int r = -ENOENT;

	if (!strncmp(key, "image:", 6))
		key += 6;
	at = strchr(key, '@');
	spell_out(at ? at + 1 : key, &names);
	if (names.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find image '%.100s'", key);
	for (size_t i = 0; r == -ENOENT && i < (at ? 1 : names.n); i++) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = store_image_find(s->store, names.items[i], ret, e);
	}
	if (r != -ENOENT)
		return r;
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return store_image_missing(key, e);
}

/* In the open transaction: the layer NEW says, or the one somebody else made of the same; on PARENT. */
static int add_layer(struct box_state *s, const struct box_image_layer *new, const char *parent,
		     char ret_id[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_layer l = { .frozen = true };
	struct store_image_layer known = { .files = new->files, .bytes = new->bytes };
	bool found = false;
	int r = store_image_layer_find(s->store, new->chain, &known, &found, e);

	if (r < 0 || found) {
		memcpy(ret_id, known.layer, STORE_ID_MAX);
		return r;
	}
	if (new->known)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EAGAIN,
				    "layers of the image were removed meanwhile; try again");
	if (strlen(new->chain) >= sizeof(known.chain) || strlen(new->layer) >= sizeof(l.id))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EINVAL, "no layer '%.100s'",
				    new->chain);
	snprintf(l.id, sizeof(l.id), "%s", new->layer);
	snprintf(l.parent, sizeof(l.parent), "%s", parent);
	snprintf(known.chain, sizeof(known.chain), "%s", new->chain);
	memcpy(known.layer, l.id, sizeof(known.layer));
	r = store_layer_add(s->store, &l, e);
	if (r == 0)
		r = store_image_layer_add(s->store, &known, e);
	if (r == 0)
		memcpy(ret_id, l.id, STORE_ID_MAX);
	return r;
}

/* An image without layers stands on an empty one. */
static int add_empty(struct box_state *s, char ret_id[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_layer l = { .frozen = true };
	int r;

	box_new_id("l-", l.id);
	r = layer_make(s->layers, l.id, e);
	if (r == 0)
		r = store_layer_add(s->store, &l, e);
	memcpy(ret_id, l.id, sizeof(l.id));
	return r;
}

static int add_rows(struct box_state *s, const struct box_image_new *new, struct aisbx_error *e)
{
	struct store_image row = { .size = new->size,
				   .created_ms = box_now_ms(),
				   .config = (char *)new->config,
				   .manifest = (char *)new->manifest,
				   .source = (char *)(new->source ? new->source : "") };
	int r = 0;

	for (size_t i = 0; r == 0 && i < new->n_layers; i++) {
		char parent[STORE_ID_MAX];

		memcpy(parent, row.top, sizeof(parent));
		r = add_layer(s, &new->layers[i], parent, row.top, e);
	}
	if (r == 0 && !new->n_layers)
		r = add_empty(s, row.top, e);
	box_new_id("i-", row.id);
	snprintf(row.digest, sizeof(row.digest), "%s", new->digest);
	snprintf(row.ids, sizeof(row.ids), "%s", new->ids ? new->ids : "");
	if (r == 0)
		r = store_image_add(s->store, &row, e);
	return r < 0 ? r
		     : store_event_add(s->store, "image.added", NULL, NULL, e, "{\"image\":\"%s\"}", row.id);
}

static int check_new(const struct box_image_new *new, struct aisbx_error *e)
{
	scoped(image_settings_finish) struct image_settings settings = { 0 };
	int r;

	if (strlen(new->digest) >= STORE_DIGEST_MAX)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "'%.100s' is no digest",
				    new->digest);
	r = image_settings_read(new->config, &settings, e);
	return r < 0 ? r : image_rules_check(&settings.policy, e);
}

int box_image_add(struct box_state *s, const struct box_image_new *new, struct store_image *ret,
		  struct aisbx_error *e)
{
	struct aisbx_error none = AISBX_ERROR_INIT;
	const char *ids = new->ids ? new->ids : "";
	struct store_image found = { 0 };
	int r = check_new(new, e);

	if (r == 0 && new->n_layers) /* all are on the same file system, which is written once */
		r = box_sync_layer(s, new->layers[new->n_layers - 1].layer, e);
	if (r == 0)
		r = store_begin(s->store, e);
	if (r < 0)
		return r;
	r = store_image_find_for(s->store, new->digest, ids, &found, &none);
	if (r == -ENOENT) {
		r = add_rows(s, new, e);
		if (r == 0)
			r = store_image_find_for(s->store, new->digest, ids, &found, e);
	} else if (r < 0) {
		*e = none;
	}
	if (r == 0 && new->name)
		r = store_image_name_set(s->store, new->name, found.id, e);
	if (r == 0)
		r = store_commit(s->store, e);
	if (r < 0)
		store_rollback(s->store);
	else
		r = store_flush(s->store, e);
	if (r == 0 && new->name) { /* with the name */
		store_image_finish(&found);
		r = store_image_find_for(s->store, new->digest, ids, &found, e);
	}
	if (r == 0)
		*ret = found;
	else
		store_image_finish(&found);
	return r;
}

static int refuse_in_use(struct box_state *s, const char *id, const char *key, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist users = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	size_t n = 0;
	int r = store_image_users(s->store, id, NAMED_USERS, &users, &n, e);

	if (r < 0 || !n)
		return r;
	for (size_t k = 0; k < users.n; k++)
		buf_addf(&text, "%s%s", k ? ", " : "", users.items[k]);
	if (n > users.n)
		buf_addf(&text, " and %zu more", n - users.n);
	return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
			    "image '%.100s' cannot be removed: %s stand%s on it; remove %s first ('aisbx rm "
			    "BOX', 'aisbx template rm NAME')",
			    key, buf_str(&text) ? text.data : "something", n == 1 ? "s" : "",
			    n == 1 ? "it" : "them");
}

/* What was unpacked of it for subordinate ids goes with it. */
static int remove_variants(struct box_state *s, const struct store_image *i, const char *key,
			   struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist ids = { 0 };
	int r = i->ids[0] ? 0 : store_image_variants(s->store, i->digest, &ids, e);

	for (size_t k = 0; r == 0 && k < ids.n; k++) {
		r = refuse_in_use(s, ids.items[k], key, e);
		if (r == 0)
			r = store_image_remove(s->store, ids.items[k], e);
	}
	return r;
}

/* In the open transaction. */
static int remove_rows(struct box_state *s, const char *key, struct box_image_removed *ret,
		       struct aisbx_error *e)
{
	struct store_image i = { 0 };
	const char *name = NULL;
	int r = box_image_resolve(s, key, &i, e);

	if (r < 0)
		return r;
	memcpy(ret->id, i.id, sizeof(ret->id));
	if (i.names.n > 1) { /* which of them was meant: one of those that the key can mean */
		scoped(strlist_finish) struct strlist names = { 0 };

		spell_out(!strncmp(key, "image:", 6) ? key + 6 : key, &names);
		for (size_t k = 0; k < names.n && !name; k++)
			for (size_t m = 0; m < i.names.n && !name; m++)
				name = strcmp(names.items[k], i.names.items[m]) ? NULL : i.names.items[m];
	}
	ret->stays = name != NULL;
	if (name) {
		r = store_image_name_remove(s->store, name, e);
	} else {
		r = remove_variants(s, &i, key, e);
		if (r == 0)
			r = refuse_in_use(s, i.id, key, e);
		if (r == 0)
			r = store_image_remove(s->store, i.id, e);
		if (r == 0)
			r = store_event_add(s->store, "image.removed", NULL, NULL, e, "{\"image\":\"%s\"}",
					    i.id);
	}
	store_image_finish(&i);
	return r;
}

int box_image_remove(struct box_state *s, const char *key, struct box_image_removed *ret,
		     struct aisbx_error *e)
{
	int r = store_begin(s->store, e);

	*ret = (struct box_image_removed){ 0 };
	if (r == 0)
		r = remove_rows(s, key, ret, e);
	if (r == 0)
		r = store_commit(s->store, e);
	if (r < 0) {
		store_rollback(s->store);
		return r;
	}
	r = store_flush(s->store, e);
	return r < 0 || ret->stays ? r : box_collect(s, &ret->layers, e);
}
