/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "pull": a tree is fetched, of which only what this machine does not have. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/content/select.h"
#include "fleet/content/source.h"
#include "fleet/content/verbs.h"

#define PLACES 3u /* of a chunk in one store that are tried */

struct pull {
	struct content_request *request; /* borrowed */
	struct content_tree tree;
	struct content_target target;
	struct content_wanted wanted;
	struct content_fetched fetched;
	uint64_t resumed, borrowed, received;
	bool has_tree;
};

static void pull_finish(struct pull *p)
{
	strlist_finish(&p->fetched.packs);
	content_wanted_finish(&p->wanted);
	content_target_finish(&p->target);
	content_tree_finish(&p->tree);
}

static int begin(struct pull *p, struct aisbx_error *e)
{
	int r = content_target_open(p->request->dir, p->request->id, &p->target, e);

	p->target.is_exact = p->request->is_exact;
	if (r == 0)
		r = content_target_make(&p->target, &p->tree, e);
	if (r == 0)
		r = content_wanted_init(&p->wanted, &p->tree, &p->target, e);
	if (r < 0)
		return r;
	if (p->target.was_there)
		p->resumed = content_wanted_resume(&p->wanted, &p->request->key);
	p->borrowed = content_wanted_borrow(&p->wanted, &p->request->key, &p->request->cache);
	return 0;
}

/* What one source has of what is left. */
static int try_source(struct pull *p, const char *url, struct aisbx_error *e)
{
	scoped(content_source_finish) struct content_source s = CONTENT_SOURCE_INIT;
	size_t left = 1;
	int r = content_source_open(p->request, url, &s, e);

	if (r == 0 && !p->has_tree) {
		r = content_source_tree(&s, p->request, &p->tree, e);
		if (r == 0 && p->request->layer)
			r = content_tree_select(&p->tree, p->request->layer, e);
		p->has_tree = r == 0;
		if (r == 0)
			r = begin(p, e);
	}
	for (unsigned int i = 0; r == 0 && i < PLACES && content_wanted_left(&p->wanted, &left); i++)
		r = content_fetch(&p->wanted, &s, p->request, i, &p->fetched, e);
	p->received += s.store ? s.store->got : 0;
	return r;
}

static int refuse_left(const struct pull *p, size_t left, const struct aisbx_error *last,
		       struct aisbx_error *e)
{
	const struct content_want *want = p->wanted.wants;
	char hex[CONTENT_HEX];

	if (last->code < 0) {
		*e = *last;
		return e->code;
	}
	while (want->is_there)
		want++;
	content_id_write(content_want_ref(&p->wanted, want)->id, hex);
	return aisbx_refuse(
		e, AISBX_KIND_CONFLICT, AISBX_AREA_LAYER, EBADMSG,
		"%zu chunks are missing or damaged, the first of them %.16s of '%.200s'; give another "
		"--from that has them, or push the tree again after 'verify --condemn'",
		left, hex, p->tree.entries[p->wanted.uses[want->first].entry].path);
}

static int end(struct pull *p, struct aisbx_error *e)
{
	scoped(drop_mem) struct content_stamp *stamps = calloc(p->tree.n, sizeof(*stamps));
	int r = stamps ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "pull a tree");

	if (r == 0)
		r = content_target_end(&p->target, &p->tree, e);
	if (r == 0)
		r = content_target_name(&p->target, &p->tree, stamps, e);
	if (r == 0) /* only a cache */
		content_files_save(&p->request->cache, p->target.path, &p->tree, stamps);
	return r;
}

int content_pull(struct content_request *q, json_t **ret, struct aisbx_error *e)
{
	scoped(pull_finish) struct pull p = { .request = q, .target = CONTENT_TARGET_INIT };
	struct aisbx_error last = AISBX_ERROR_INIT;
	uint64_t received;
	size_t left = 1;
	int r;

	for (size_t i = 0; i < q->n_stores && left; i++) {
		struct aisbx_error mine = AISBX_ERROR_INIT;

		r = try_source(&p, q->stores[i], &mine);
		if (r < 0)
			last = mine;
		if (p.wanted.uses)
			content_wanted_left(&p.wanted, &left);
		else if (p.has_tree) /* the place is wrong, not the source */
			break;
	}
	if (left && !p.wanted.uses) {
		*e = last;
		return e->code;
	}
	if (left)
		return refuse_left(&p, left, &last, e);
	r = end(&p, e);
	if (r < 0)
		return r;
	received = p.received + p.fetched.received;
	*ret = json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "entries", (json_int_t)p.tree.n, "bytes",
			 (json_int_t)p.tree.bytes, "chunks", (json_int_t)p.fetched.chunks, "received",
			 (json_int_t)received, "resumed", (json_int_t)p.resumed, "borrowed",
			 (json_int_t)p.borrowed, "missing", (json_int_t)p.fetched.missing, "damaged",
			 (json_int_t)p.fetched.damaged, "left_out", (json_int_t)p.target.left_out);
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "tell what was pulled");
}
