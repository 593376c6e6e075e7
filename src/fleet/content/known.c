/* SPDX-License-Identifier: Apache-2.0 */
/* The table of known chunks, and the indexes it is made of. */
#include "fleet/content/known.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/scope.h"

#define INDEX_MOST ((size_t)CONTENT_PACK_COUNT * 48 + CONTENT_PACK_FOOT)
#define SLACK_MS   3600000ull /* packs may have been written by a machine whose clock is so much behind */

int content_known_open(struct content_store *s, const struct content_cache *c, struct content_known *ret,
		       struct aisbx_error *e)
{
	char name[33], path[64];
	int fd;

	content_cache_name(s->url, name);
	snprintf(path, sizeof(path), "packs-%s", name);
	fd = content_cache_dir(c, path);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -fd, "open the cache '%.200s'", c->path);
	*ret = (struct content_known){ .dir = fd };
	return 0;
}

void content_known_finish(struct content_known *k)
{
	close_fd(&k->dir);
	free(k->packs);
	free(k->found);
	free(k->table);
	*k = (struct content_known)CONTENT_KNOWN_INIT;
}

int content_known_add_pack(struct content_known *k, const char *name, uint32_t *ret)
{
	if (k->n_packs == k->packs_room) {
		size_t room = k->packs_room ? 2 * k->packs_room : 64;
		struct content_known_pack *packs = reallocarray(k->packs, room, sizeof(*packs));

		if (!packs)
			return -ENOMEM;
		k->packs = packs;
		k->packs_room = room;
	}
	k->packs[k->n_packs] = (struct content_known_pack){ 0 };
	snprintf(k->packs[k->n_packs].name, CONTENT_PACK_NAME, "%s", name);
	*ret = (uint32_t)k->n_packs++;
	return 0;
}

static uint32_t *slot(const struct content_known *k, const uint8_t id[CONTENT_ID])
{
	uint64_t hash;

	memcpy(&hash, id, sizeof(hash)); /* a name is as good as random */
	return &k->table[hash & (k->table_size - 1)];
}

static int grow(struct content_known *k)
{
	size_t room = k->room ? 2 * k->room : 4096;
	struct content_found *found = reallocarray(k->found, room, sizeof(*found));
	uint32_t *table;

	if (!found)
		return -ENOMEM;
	k->found = found;
	table = calloc(2 * room, sizeof(*table));
	if (!table)
		return -ENOMEM;
	free(k->table);
	k->table = table;
	k->table_size = 2 * room;
	k->room = room;
	for (size_t i = 0; i < k->n; i++) {
		uint32_t *at = slot(k, k->found[i].place.ref.id);

		k->found[i].next = *at;
		*at = (uint32_t)i + 1;
	}
	return 0;
}

int content_known_add(struct content_known *k, const struct content_place *p, uint32_t pack)
{
	uint32_t *at;
	int r = k->n == k->room ? grow(k) : 0;

	if (r < 0)
		return r;
	at = slot(k, p->ref.id);
	k->found[k->n] = (struct content_found){ .place = *p, .pack = pack, .next = *at };
	*at = (uint32_t)++k->n;
	return 0;
}

struct content_found *content_known_find(const struct content_known *k, const struct content_ref *ref,
					 const struct content_found *after)
{
	uint32_t at = after ? after->next : k->table ? *slot(k, ref->id) : 0;

	for (; at; at = k->found[at - 1].next) {
		struct content_found *f = &k->found[at - 1];

		if (f->place.ref.len == ref->len && !memcmp(f->place.ref.id, ref->id, CONTENT_ID))
			return f;
	}
	return NULL;
}

int content_known_keep(const struct content_known *k, const char *name, const void *index, size_t len)
{
	scoped(buf_finish) struct buf text = { 0 };

	buf_add(&text, index, len);
	return content_cache_write(k->dir, name, &text);
}

static int add_index(struct content_known *k, const char *name, const struct content_index *i)
{
	uint32_t pack = 0;
	int r = content_known_add_pack(k, name, &pack);

	for (size_t c = 0; r == 0 && c < i->n; c++)
		r = content_known_add(k, &i->items[c], pack);
	return r;
}

/* The end of the pack, as much of it as its index has. */
static int fetch_index(struct content_store *s, const struct content_key *key, const char *name,
		       struct buf *text, struct content_index *ret, struct aisbx_error *e)
{
	char object[64];
	size_t needs = CONTENT_PACK_TAIL, asked;
	int r;

	snprintf(object, sizeof(object), "packs/%s", name);
	do {
		text->len = 0;
		asked = needs;
		r = content_get(s, object, CONTENT_TAIL, needs, text, e);
		if (r == 0)
			r = content_index_read(key, text->data, text->len, ret, &needs);
	} while (r == -ENODATA && needs > asked && text->len == asked);
	if (r == -ENODATA)
		r = -EBADMSG;
	if (r == 0) { /* only the index is kept */
		needs = ret->n * 40 + CONTENT_PACK_FOOT;
		memmove(text->data, text->data + text->len - needs, needs);
		text->len = needs;
	}
	return r;
}

/* -ENOENT, -EBADMSG: the pack is not there, or damaged; others with E. */
static int take_pack(struct content_known *k, struct content_store *s, const struct content_key *key,
		     const char *name, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	scoped(content_index_finish) struct content_index i = { 0 };
	size_t needs;
	int r = content_cache_read(k->dir, name, INDEX_MOST, &text);

	if (r == 0)
		r = content_index_read(key, text.data, text.len, &i, &needs);
	if (r < 0) {
		text.len = 0;
		r = fetch_index(s, key, name, &text, &i, e);
		if (r == 0)
			content_known_keep(k, name, text.data, text.len); /* else it is fetched again */
	}
	if (r == 0 && (r = add_index(k, name, &i)) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "read the index of the pack %s", name);
	return r;
}

struct news {
	struct strlist names;
};

static int take_name(void *ctx, const char *name, uint64_t size)
{
	struct news *n = ctx;

	(void)size;
	name += strlen("packs/");
	if (content_pack_name_is_good(name))
		strlist_add(&n->names, name);
	return n->names.failed ? -ENOMEM : 0;
}

/* The packs of the cache; those that are gone are removed from it. */
static int list_cache(const struct content_known *k, const struct content_state *st, struct strlist *ret,
		      struct aisbx_error *e)
{
	struct dirent *entry;
	int r = 0;
	scoped(drop_dir) DIR *d = dir_take(dup(k->dir), &r);

	if (d)
		rewinddir(d);
	while (d && r == 0 && (entry = dir_next(d, &r))) {
		if (!content_pack_name_is_good(entry->d_name))
			continue;
		if (content_state_is_gone(st, entry->d_name))
			unlinkat(k->dir, entry->d_name, 0);
		else
			strlist_add(ret, entry->d_name);
	}
	if (ret->failed)
		r = -ENOMEM;
	content_list_sort(ret);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "read the cache") : 0;
}

/* Another store, or so long not seen that gc may have deleted packs without a list that still says so. */
static bool is_stale(const struct content_known *k, const struct content_state *st)
{
	scoped(buf_finish) struct buf text = { 0 };
	unsigned long long seen = 0;
	char store[17] = "";

	if (content_cache_read(k->dir, "generation", 4096, &text) == 0 && buf_str(&text) &&
	    sscanf(text.data, "%llu %16s", &seen, store) != 2)
		seen = 0;
	return strcmp(store, st->store) != 0 || seen > st->generation ||
	       st->generation - seen > CONTENT_STATE_LATE;
}

static void note_generation(const struct content_known *k, const struct content_state *st)
{
	scoped(buf_finish) struct buf text = { 0 };

	buf_addf(&text, "%llu %s", (unsigned long long)st->generation, st->store);
	content_cache_write(k->dir, "generation", &text);
}

/* Names of packs begin with generation and time, so what is new comes last. */
static void after_name(const struct strlist *have, char ret[CONTENT_OBJECT_NAME])
{
	unsigned long long generation, ms;

	ret[0] = '\0';
	if (have->n && sscanf(have->items[have->n - 1], "%10llu-%12llx", &generation, &ms) == 2)
		snprintf(ret, CONTENT_OBJECT_NAME, "packs/%010llu-%012llx", generation,
			 ms > SLACK_MS ? ms - SLACK_MS : 0);
}

int content_known_sync(struct content_known *k, struct content_store *s, const struct content_key *key,
		       const struct content_state *st, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist have = { 0 };
	struct news news = { 0 };
	char after[CONTENT_OBJECT_NAME];
	bool stale = is_stale(k, st);
	int r = list_cache(k, st, &have, e);

	after_name(&have, after);
	if (r == 0)
		r = content_list(s, "packs/", stale ? "" : after, take_name, &news, e);
	content_list_sort(&news.names);
	for (size_t i = 0; r == 0 && i < have.n; i++) {
		if (stale && !content_list_has(&news.names, have.items[i]))
			unlinkat(k->dir, have.items[i], 0);
		else
			r = take_pack(k, s, key, have.items[i], e);
		if (r == -ENOENT || r == -EBADMSG)
			r = 0;
	}
	for (size_t i = 0; r == 0 && i < news.names.n; i++) {
		if (content_list_has(&have, news.names.items[i]) ||
		    content_state_is_gone(st, news.names.items[i]))
			continue;
		r = take_pack(k, s, key, news.names.items[i], e);
		if (r == -ENOENT || r == -EBADMSG) /* then its chunks are not known, and are sent again */
			r = 0;
	}
	strlist_finish(&news.names);
	if (r == 0)
		note_generation(k, st);
	return r;
}

int content_known_load(struct content_known *k, struct content_store *s, const struct content_key *key,
		       const struct content_root *root, size_t *ret_missing, struct aisbx_error *e)
{
	size_t missing = 0;

	for (size_t i = 0; i < root->n_packs; i++) {
		int r = take_pack(k, s, key, root->packs[i], e);

		if (r == -ENOENT || r == -EBADMSG)
			missing++;
		else if (r < 0)
			return r;
	}
	*ret_missing = missing;
	return 0;
}
