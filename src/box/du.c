/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by layer: who stands on it, what of it is in others. A layer that one thing alone stands on is its
 * own. */
#include "box/du.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/images.h"
#include "box/owner.h"
#include "layer/disk.h"

/* What stands on layers. */
struct holder {
	struct du_item item;
	size_t top;    /* index of its newest layer; NONE: it has none */
	size_t oldest; /* index of the layer at the bottom: those of one tree have the same */
	bool expired;
	char parent[STORE_ID_MAX]; /* of a snapshot: its box */
};

#define NONE SIZE_MAX

struct sums {
	struct box_state state;
	struct store_layer *layers; /* owned; sorted by id */
	size_t n_layers;
	size_t *below;           /* owned; index of each layer's parent, or NONE */
	struct layer_disk *disk; /* owned */
	size_t *users;           /* owned; how many stand on it */
	struct holder *holders;  /* owned */
	size_t n, cap;
};

static void item_finish(struct du_item *i)
{
	free(i->name);
	strlist_finish(&i->with);
}

void du_finish(struct du *d)
{
	for (size_t i = 0; i < d->n; i++)
		item_finish(&d->items[i]);
	free(d->items);
	*d = (struct du){ 0 };
}

static void sums_finish(struct sums *s)
{
	for (size_t i = 0; i < s->n; i++)
		item_finish(&s->holders[i].item);
	free(s->holders);
	free(s->layers);
	free(s->below);
	free(s->disk);
	free(s->users);
	box_state_close(&s->state);
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "measure boxes");
}

static int by_id(const void *key, const void *item)
{
	return strcmp(key, ((const struct store_layer *)item)->id);
}

static size_t index_of(const struct sums *s, const char *id)
{
	const struct store_layer *l =
		*id && s->n_layers ? bsearch(id, s->layers, s->n_layers, sizeof(*s->layers), by_id) : NULL;

	return l ? (size_t)(l - s->layers) : NONE;
}

/* Takes NAME, which may be NULL: there was no memory. */
static int add(struct sums *s, const char *kind, char *name, const char *id, const char *layer,
	       struct aisbx_error *e)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 64;
		void *grown = realloc(s->holders, cap * sizeof(*s->holders));

		if (grown) {
			s->holders = grown;
			s->cap = cap;
		}
	}
	if (s->n == s->cap || !name) {
		free(name);
		return no_memory(e);
	}
	s->holders[s->n] =
		(struct holder){ .item = { .kind = kind, .name = name }, .top = index_of(s, layer) };
	snprintf(s->holders[s->n].item.id, STORE_ID_MAX, "%s", id);
	s->n++;
	return 0;
}

static int add_snapshots(struct sums *s, const struct store_box *b, const char *told, struct aisbx_error *e)
{
	struct store_snapshot *list = NULL;
	size_t n = 0;
	int r = store_snapshot_list(s->state.store, b->id, &list, &n, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		char *name = NULL;

		if (asprintf(&name, "%s@%s", told, list[i].name) < 0)
			name = NULL;
		r = add(s, "snapshot", name, list[i].id, list[i].layer, e);
		if (r == 0)
			memcpy(s->holders[s->n - 1].parent, b->id, STORE_ID_MAX);
	}
	free(list);
	return r;
}

static int add_boxes(struct sums *s, struct aisbx_error *e)
{
	struct store_box *boxes = NULL;
	size_t n = 0;
	int r = box_list(&s->state, &boxes, &n, e);

	for (size_t i = 0; i < n; i++) {
		char told[BOX_KEY_MAX + 1];

		box_told_as(&boxes[i], told);
		if (r == 0)
			r = add(s, "box", strdup(told), boxes[i].id, boxes[i].top, e);
		if (r == 0)
			s->holders[s->n - 1].expired =
				boxes[i].expires_ms && boxes[i].expires_ms <= box_now_ms();
		if (r == 0)
			r = add_snapshots(s, &boxes[i], told, e);
		store_box_finish(&boxes[i]);
	}
	free(boxes);
	return r;
}

static int add_images(struct sums *s, struct aisbx_error *e)
{
	struct store_image *list = NULL;
	size_t n = 0;
	int r = store_image_list(s->state.store, &list, &n, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		const char *name = list[i].names.n ? list[i].names.items[0] : list[i].id;

		r = add(s, "image", strdup(name), list[i].id, list[i].top, e);
		if (r == 0)
			s->holders[s->n - 1].item.blobs = (uint64_t)list[i].size;
	}
	store_image_list_finish(list, n);
	return r;
}

static int add_templates(struct sums *s, struct aisbx_error *e)
{
	struct store_template *list = NULL;
	size_t n = 0;
	int r = store_template_list(s->state.store, box_acting_for(), &list, &n, e);

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add(s, "template", strdup(list[i].name), "", list[i].layer, e);
	store_template_list_finish(list, n);
	return r;
}

static int read_layers(struct sums *s, uint64_t *ret_once, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist ids = { 0 };
	int r = store_layer_list(s->state.store, &s->layers, &s->n_layers, e);

	if (r < 0)
		return r;
	s->below = calloc(s->n_layers + 1, sizeof(*s->below));
	s->disk = calloc(s->n_layers + 1, sizeof(*s->disk));
	s->users = calloc(s->n_layers + 1, sizeof(*s->users));
	for (size_t i = 0; i < s->n_layers; i++)
		strlist_add(&ids, s->layers[i].id);
	if (!s->below || !s->disk || !s->users || ids.failed)
		return no_memory(e);
	for (size_t i = 0; i < s->n_layers; i++)
		s->below[i] = index_of(s, s->layers[i].parent);
	return layer_disk_measure(s->state.layers, (const char *const *)ids.items, ids.n, s->disk, ret_once,
				  e);
}

/* Who stands on which layer. A chain has no more layers than there are. */
static void count_users(struct sums *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct holder *h = &s->holders[i];
		size_t left = s->n_layers;

		h->oldest = NONE;
		for (size_t l = h->top; l != NONE && left--; l = s->below[l]) {
			s->users[l]++;
			h->oldest = l;
		}
	}
}

static void sum_up(struct sums *s, struct holder *h)
{
	size_t left = s->n_layers;

	for (size_t l = h->top; l != NONE && left--; l = s->below[l]) {
		h->item.bytes += s->disk[l].own + s->disk[l].shared;
		h->item.own += s->users[l] == 1 ? s->disk[l].own : 0;
	}
}

static void name_others(const struct sums *s, struct holder *h)
{
	for (size_t i = 0; i < s->n && h->oldest != NONE; i++) {
		const struct holder *other = &s->holders[i];

		if (other == h || other->oldest != h->oldest)
			continue;
		if (h->item.n_with++ < BOX_DU_NAMES)
			strlist_addf(&h->item.with, "%s '%s'", other->item.kind, other->item.name);
	}
}

/* What goes with expired boxes: layers on which nobody else stands. */
static uint64_t sum_of_expired(struct sums *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct holder *h = &s->holders[i];
		size_t left = s->n_layers;
		bool goes = h->expired;

		for (size_t k = 0; *h->parent && k < s->n && !goes; k++)
			goes = s->holders[k].expired && !strcmp(s->holders[k].item.id, h->parent);
		for (size_t l = h->top; goes && l != NONE && left--; l = s->below[l])
			if (s->users[l] && --s->users[l] == 0)
				sum += s->disk[l].own;
	}
	return sum;
}

static int sum_all(struct sums *s, uint64_t once, struct du *ret, struct aisbx_error *e)
{
	bool all = !box_acting_for();
	struct images_sizes images = { 0 };
	uint64_t linked = 0;

	for (size_t i = 0; i < s->n_layers; i++) {
		if (!all && !s->users[i])
			continue;
		ret->layers += s->disk[i].own;
		linked += s->disk[i].shared;
		ret->free += s->users[i] ? 0 : s->disk[i].own;
	}
	ret->layers += all ? once : linked;
	ret->saved = all ? linked - once : 0;
	if (!all)
		return 0;
	ret->free += sum_of_expired(s);
	if (images_measure(&s->state, &images, e) < 0)
		return e->code;
	ret->blobs = images.blobs;
	ret->chunked = images.chunked;
	ret->chunks = images.chunks;
	ret->free += images.unneeded;
	return 0;
}

/* The whole name of an image for what people call it. */
static bool is_image(const char *key, const struct du_item *i)
{
	scoped(drop_mem) char *full = strcmp(i->kind, "image") ? NULL : images_full_name(key);

	return full && !strcmp(full, i->name);
}

static bool is_asked(const struct strlist *keys, const struct du_item *i, bool *found)
{
	bool asked = !keys->n;

	for (size_t k = 0; k < keys->n; k++)
		if (!strcmp(keys->items[k], i->name) || (*i->id && !strcmp(keys->items[k], i->id)) ||
		    is_image(keys->items[k], i))
			asked = found[k] = true;
	return asked;
}

/* Moves what is asked for to RET. */
static int choose(struct sums *s, const struct strlist *keys, struct du *ret, struct aisbx_error *e)
{
	scoped(drop_mem) bool *found = calloc(keys->n + 1, sizeof(*found));

	ret->items = calloc(s->n + 1, sizeof(*ret->items));
	if (!ret->items || !found)
		return no_memory(e);
	for (size_t i = 0; i < s->n; i++) {
		struct du_item *item = &s->holders[i].item;

		if (!is_asked(keys, item, found))
			continue;
		if (item->with.failed)
			return no_memory(e);
		ret->items[ret->n++] = *item;
		item->name = NULL;
		item->with = (struct strlist){ 0 };
	}
	for (size_t k = 0; k < keys->n; k++)
		if (!found[k])
			return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
					    "there is no box, snapshot (BOX@NAME), image or template '%s'",
					    keys->items[k]);
	return 0;
}

int box_du(const struct strlist *keys, struct du *ret, struct aisbx_error *e)
{
	scoped(sums_finish) struct sums s = { 0 };
	scoped(du_finish) struct du d = { 0 };
	uint64_t once = 0;
	int r = box_state_open(&s.state, e);

	r = r < 0 ? r : read_layers(&s, &once, e);
	r = r < 0 ? r : add_boxes(&s, e);
	r = r < 0 ? r : add_images(&s, e);
	r = r < 0 ? r : add_templates(&s, e);
	if (r < 0)
		return r;
	count_users(&s);
	for (size_t i = 0; i < s.n; i++) {
		sum_up(&s, &s.holders[i]);
		name_others(&s, &s.holders[i]);
	}
	r = sum_all(&s, once, &d, e);
	r = r < 0 ? r : choose(&s, keys, &d, e);
	if (r == 0) {
		*ret = d;
		d = (struct du){ 0 };
	}
	return r;
}
