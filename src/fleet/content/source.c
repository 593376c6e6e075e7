/* SPDX-License-Identifier: Apache-2.0 */
/* Finding a tree in a store. */
#include "fleet/content/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"

void content_source_finish(struct content_source *s)
{
	content_known_finish(&s->known);
	content_root_finish(&s->root);
	content_store_close(s->store);
	*s = (struct content_source)CONTENT_SOURCE_INIT;
}

/* Generations are sorted: the last one is the newest. */
static int take_last(void *ctx, const char *name, uint64_t size)
{
	(void)size;
	snprintf(ctx, CONTENT_OBJECT_NAME, "%s", name);
	return 0;
}

static int read_root(const struct content_request *q, struct content_source *s, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	char prefix[CONTENT_OBJECT_NAME], name[CONTENT_OBJECT_NAME] = "", hex[CONTENT_HEX];
	uint8_t id[CONTENT_ID];
	int r;

	content_id_write(q->id, hex);
	snprintf(prefix, sizeof(prefix), "trees/%s/", hex);
	r = content_list(s->store, prefix, "", take_last, name, e);
	if (r == 0)
		r = *name ? content_get(s->store, name, 0, CONTENT_ROOT_MOST, &text, e) : -ENOENT;
	if (r == -ENOENT)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_LAYER, ENODATA,
				    "%.200s has no tree %s of '%.64s'", s->store->url, hex, q->tenant);
	if (r < 0)
		return r;
	r = content_root_read(&q->key, text.data, text.len, &s->root);
	if (r == 0) {
		content_root_id(&s->root, &q->key, id);
		r = memcmp(id, q->id, sizeof(id)) != 0 ? -EBADMSG : 0;
	}
	if (r == -EBADMSG)
		return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_LAYER, EBADMSG,
				    "the tree %s in %.200s is damaged, or was pushed with another key", hex,
				    s->store->url);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "read the tree %s", hex) : 0;
}

int content_source_open(const struct content_request *q, const char *url, struct content_source *ret,
			struct aisbx_error *e)
{
	scoped(content_source_finish) struct content_source s = CONTENT_SOURCE_INIT;
	int r = content_store_open(url, q->tenant, &q->key, &s.store, e);

	if (r == 0)
		r = read_root(q, &s, e);
	if (r == 0)
		r = content_known_open(s.store, &q->cache, &s.known, e);
	if (r == 0)
		r = content_known_load(&s.known, s.store, &q->key, &s.root, &s.missing_packs, e);
	if (r < 0)
		return r;
	*ret = s;
	s = (struct content_source)CONTENT_SOURCE_INIT;
	return 0;
}

/* Adds a chunk to RET. -EBADMSG: damaged or missing wherever it should be. */
static int add_chunk(struct content_source *s, const struct content_request *q, struct content_coder *c,
		     const struct content_ref *ref, struct buf *ret, struct aisbx_error *e)
{
	const struct content_found *f = NULL;

	while ((f = content_known_find(&s->known, ref, f))) {
		scoped(buf_finish) struct buf stored = { 0 };
		const uint8_t *data;
		char name[64];
		int r;

		snprintf(name, sizeof(name), "packs/%s", s->known.packs[f->pack].name);
		r = content_get(s->store, name, f->place.at, f->place.stored, &stored, e);
		if (r < 0 && r != -ENOENT)
			return r;
		if (r == 0 && content_chunk_unpack(c, &q->key, ref, stored.data, stored.len,
						   f->place.is_packed, &data) == 0) {
			buf_add(ret, data, ref->len);
			return 0;
		}
	}
	return -EBADMSG;
}

int content_source_tree(struct content_source *s, const struct content_request *q, struct content_tree *ret,
			struct aisbx_error *e)
{
	scoped(content_coder_finish) struct content_coder c = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	int r = content_coder_init(&c, e);

	for (size_t i = 0; r == 0 && i < s->root.n_refs; i++) {
		if (text.len > CONTENT_TREE_MOST)
			r = -EBADMSG;
		else
			r = add_chunk(s, q, &c, &s->root.refs[i], &text, e);
	}
	if (r == -EBADMSG)
		return aisbx_refuse(
			e, AISBX_KIND_CONFLICT, AISBX_AREA_LAYER, EBADMSG,
			"a chunk of the tree itself is missing or damaged in %.200s; push it again",
			s->store->url);
	if (r == 0 && text.failed)
		r = aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read a tree");
	return r < 0 ? r : content_tree_read(text.data, text.len, ret, e);
}
