/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "push": a directory becomes a tree in a store, of which only what is new is sent. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/content/cutter.h"
#include "fleet/content/files.h"
#include "fleet/content/verbs.h"
#include "fleet/content/walk.h"

#define TRIES 4 /* how often gc may condemn what a push relied on */

struct push {
	struct content_request *request; /* borrowed */
	struct content_store *store;     /* owned */
	struct content_state state;
	struct content_known known;
	struct content_sender sender;
	struct content_cutter cutter;
	struct content_files files;
	struct content_walk walk;
	struct content_root root;
	char *dir; /* owned; absolute */
	uint64_t chunks;
};

static void push_finish(struct push *p)
{
	content_root_finish(&p->root);
	content_walk_finish(&p->walk);
	content_files_finish(&p->files);
	content_cutter_finish(&p->cutter);
	content_sender_finish(&p->sender);
	content_known_finish(&p->known);
	content_state_finish(&p->state);
	content_store_close(p->store);
	free(p->dir);
}

/* A file that is as it was, and whose chunks are all in the store. */
static int skip(void *ctx, struct content_entry *n, struct content_stamp *stamp)
{
	struct push *p = ctx;
	const struct content_seen *seen = content_files_find(&p->files, n->path, stamp);

	for (uint32_t i = 0; seen && i < seen->n_refs; i++) {
		struct content_ref ref = content_seen_ref(seen, i);

		if (!content_sender_has(&p->sender, &ref) || content_entry_add_ref(n, &ref) < 0)
			seen = NULL;
	}
	if (!seen) {
		n->n_refs = 0;
		n->size = 0;
		free(n->refs);
		n->refs = NULL;
		return 0;
	}
	stamp->is_sure = true;
	p->chunks += n->n_refs;
	return 1;
}

static int cut(void *ctx, int fd, struct content_entry *n, struct content_stamp *stamp, struct aisbx_error *e)
{
	struct push *p = ctx;
	bool is_sure = false;
	struct stat st;
	int r = content_cut_file(&p->cutter, fd, n, &is_sure, e);

	if (r < 0)
		return r;
	if (fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "look at '%.300s'", n->path);
	content_stamp_of(&st, stamp); /* of what was read */
	stamp->is_sure = is_sure;
	n->seconds = st.st_mtim.tv_sec;
	n->nanoseconds = (uint32_t)st.st_mtim.tv_nsec;
	p->chunks += n->n_refs;
	return 0;
}

/* Everything up to the root, which needs to be written then. */
static int send_content(struct push *p, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	int r;

	p->walk = (struct content_walk){ .skip = skip,
					 .file = cut,
					 .ctx = p,
					 .without = p->request->without,
					 .n_without = p->request->n_without,
					 .over = p->request->over,
					 .n_over = p->request->n_over };
	p->chunks = 0;
	content_files_load(&p->request->cache, p->dir, &p->files);
	r = content_walk_dir(&p->walk, p->dir, e);
	if (r < 0)
		return r;
	r = content_tree_write(&p->walk.tree, &text);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "write the tree of '%.200s'", p->dir);
	p->root.bytes = p->walk.tree.bytes;
	p->root.entries = p->walk.tree.n;
	r = content_cut_tree(&p->cutter, text.data, text.len, &p->root, e);
	if (r == 0)
		r = content_sender_flush(&p->sender, e);
	for (size_t i = 0; r == 0 && i < p->known.n_packs; i++)
		if (p->known.packs[i].is_used && content_root_add_pack(&p->root, p->known.packs[i].name) < 0)
			r = aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "write the tree of '%.200s'", p->dir);
	content_root_sort(&p->root);
	return r;
}

static int send_root(struct push *p, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	char name[CONTENT_OBJECT_NAME], hex[CONTENT_HEX];

	content_root_id(&p->root, &p->request->key, p->request->id);
	content_id_write(p->request->id, hex);
	snprintf(name, sizeof(name), "trees/%s/%010llu", hex, (unsigned long long)p->state.generation);
	if (content_root_write(&p->root, &p->request->key, &text) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "write the tree %s", hex);
	return content_put(p->store, name, text.data, text.len, false, e);
}

/* 1: gc has condemned what the tree relies on, so it has to be done once more. */
static int look_again(struct push *p, struct aisbx_error *e)
{
	struct content_state now = { 0 };
	bool again = false, late;
	int r = content_state_load(p->store, &now, e);

	if (r < 0)
		return r;
	/* So late that lists of what was deleted meanwhile may be gone, too. */
	late = now.generation - p->state.generation > CONTENT_STATE_LATE;
	for (size_t i = 0; i < p->known.n_packs; i++)
		if (late || content_state_is_gone(&now, p->known.packs[i].name)) {
			p->known.packs[i].is_gone = true;
			again |= p->known.packs[i].is_used;
		}
	content_state_finish(&p->state);
	p->state = now;
	return again;
}

static void forget(struct push *p)
{
	content_root_finish(&p->root);
	content_walk_finish(&p->walk);
	content_files_finish(&p->files);
	for (size_t i = 0; i < p->known.n_packs; i++)
		p->known.packs[i].is_used = false;
	p->sender.generation = p->state.generation;
}

static int begin(struct push *p, struct aisbx_error *e)
{
	struct content_request *q = p->request;
	int r = content_store_make(q->stores[0], e);

	if (r < 0)
		return r;
	r = content_store_open(q->stores[0], q->tenant, &q->key, &p->store, e);
	if (r == 0)
		r = content_state_load(p->store, &p->state, e);
	if (r == 0)
		r = content_state_make(p->store, &p->state, e);
	if (r == 0)
		r = content_known_open(p->store, &q->cache, &p->known, e);
	if (r == 0)
		r = content_known_sync(&p->known, p->store, &q->key, &p->state, e);
	if (r == 0)
		r = content_sender_init(&p->sender, p->store, &q->key, &p->known, p->state.generation, e);
	if (r == 0)
		r = content_cutter_init(&p->cutter, &p->sender, e);
	return r;
}

static int told(const struct push *p, const struct content_store *s, json_t **ret, struct aisbx_error *e)
{
	char hex[CONTENT_HEX];

	content_id_write(p->request->id, hex);
	*ret = json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "id", hex, "entries",
			 (json_int_t)p->root.entries, "bytes", (json_int_t)p->root.bytes, "read",
			 (json_int_t)p->cutter.read, "chunks", (json_int_t)p->chunks, "new_chunks",
			 (json_int_t)p->sender.chunks, "packs", (json_int_t)p->sender.packs, "sent",
			 (json_int_t)s->sent, "received", (json_int_t)s->got, "requests",
			 (json_int_t)s->requests, "left_out", (json_int_t)p->walk.left_out, "kept",
			 (json_int_t)p->walk.kept);
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "tell what was pushed");
}

int content_push(struct content_request *q, json_t **ret, struct aisbx_error *e)
{
	scoped(push_finish) struct push p = { .request = q, .known = CONTENT_KNOWN_INIT };
	int r;

	p.dir = realpath(q->dir, NULL);
	if (!p.dir)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "push '%.200s'", q->dir);
	r = begin(&p, e);
	for (int i = 0; r == 0; i++) {
		r = send_content(&p, e);
		if (r == 0)
			r = send_root(&p, e);
		if (r == 0)
			r = look_again(&p, e);
		if (r <= 0)
			break;
		if (i == TRIES)
			return aisbx_refuse(
				e, AISBX_KIND_BUSY, AISBX_AREA_LAYER, EBUSY,
				"garbage of %.200s is collected faster than '%.200s' is pushed; try "
				"again later, and collect it less often",
				q->stores[0], q->dir);
		forget(&p);
		r = 0;
	}
	if (r < 0)
		return r;
	/* Only a cache: without it the next push reads more. */
	content_files_save(&q->cache, p.dir, &p.walk.tree, p.walk.stamps);
	return told(&p, p.store, ret, e);
}
