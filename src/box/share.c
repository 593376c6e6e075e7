/* SPDX-License-Identifier: Apache-2.0 */
/* Which layers may share files: frozen ones of images and of the person's boxes, of no box that runs now. */
#include "box/share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/sha256.h"

/* In the state directory: a sum of the ids whose layers share all they can. */
#define DONE "shared"

struct layers {
	struct store_layer *items; /* owned; sorted by id */
	size_t n;
};

/* Layers of images, which belong to nobody. */
struct public
{
	struct store_image_layer *items; /* owned */
	size_t n;
};

static void public_finish(struct public *p)
{
	free(p->items);
}

static void layers_finish(struct layers *l)
{
	free(l->items);
}

static int by_id(const void *key, const void *item)
{
	return strcmp(key, ((const struct store_layer *)item)->id);
}

/* Everybody's: of images. */
static bool is_public(const struct public *p, const char *layer)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->items[i].layer, layer))
			return true;
	return false;
}

/* They count as not frozen from now on. PUBLIC: except these; may be NULL. */
static int leave_out(struct box_state *s, struct layers *all, const struct store_box *b,
		     const struct public *public, struct aisbx_error *e)
{
	struct store_layer *chain = NULL;
	size_t n = 0;
	int r = store_layer_chain(s->store, b->top, &chain, &n, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		struct store_layer *l = bsearch(chain[i].id, all->items, all->n, sizeof(*all->items), by_id);

		if (l && !(public && is_public(public, l->id)))
			l->frozen = false;
	}
	free(chain);
	return r;
}

/*
 * Layers of boxes that somebody uses (*RET_BUSY: there are some), and of boxes of sessions: how many names a
 * file has would tell one what others have.
 */
static int leave_out_some(struct box_state *s, struct layers *all, bool *ret_busy, struct aisbx_error *e)
{
	scoped(public_finish) struct public public = { 0 };
	struct store_box *boxes = NULL;
	size_t n = 0;
	int r = store_image_layer_list(s->store, &public.items, &public.n, e);

	r = r < 0 ? r : store_box_list(s->store, &boxes, &n, e);
	for (size_t i = 0; i < n; i++) {
		struct aisbx_error ignored = AISBX_ERROR_INIT;
		scoped(drop_fd) int lock = -1;
		bool busy = r == 0 && box_try_lock(s, &boxes[i], &lock, &ignored) < 0;

		*ret_busy |= busy;
		if (busy || (r == 0 && *boxes[i].owner))
			r = leave_out(s, all, &boxes[i], busy ? NULL : &public, e);
		store_box_finish(&boxes[i]);
	}
	free(boxes);
	return r;
}

static void sum_of(const struct strlist *ids, char ret[2 * SHA256_BYTES + 1])
{
	uint8_t sum[SHA256_BYTES];
	struct sha256 h;

	sha256_init(&h);
	for (size_t i = 0; i < ids->n; i++)
		sha256_add(&h, ids->items[i], strlen(ids->items[i]) + 1);
	sha256_end(&h, sum);
	io_hex(sum, sizeof(sum), ret);
}

static bool is_done(const char *path, const char *sum)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char text[2 * SHA256_BYTES + 1] = "";

	return fd >= 0 && read(fd, text, sizeof(text) - 1) == (ssize_t)sizeof(text) - 1 && !strcmp(text, sum);
}

/* A loss costs only another walk: hence without a sync. */
static void note_done(const char *path, const char *sum)
{
	scoped(drop_fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0 && io_write_all(fd, sum, strlen(sum)) < 0)
		unlink(path);
}

int box_share(struct box_state *s, struct share_report *ret, struct aisbx_error *e)
{
	scoped(layers_finish) struct layers all = { 0 };
	scoped(strlist_finish) struct strlist ids = { 0 };
	scoped(drop_mem) char *path = path_join(s->dir, DONE);
	char sum[2 * SHA256_BYTES + 1];
	bool busy = false;
	int r = store_layer_list(s->store, &all.items, &all.n, e);

	*ret = (struct share_report){ 0 };
	r = r < 0 ? r : leave_out_some(s, &all, &busy, e);
	for (size_t i = 0; r == 0 && i < all.n; i++)
		if (all.items[i].frozen)
			strlist_add(&ids, all.items[i].id);
	if (r == 0 && (!path || ids.failed))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "share equal files");
	if (r < 0)
		return r;
	sum_of(&ids, sum);
	if (ids.n < 2 || is_done(path, sum))
		return 0;
	r = layer_share(s->layers, (const char *const *)ids.items, ids.n, ret, e);
	if (r == 0 && !busy)
		note_done(path, sum);
	return r;
}
