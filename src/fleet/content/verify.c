/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verb "verify": reads all of a tree where it lies, and writes nothing. Packs in which something is
 * damaged can be condemned: then the next push of the same files sends again what was in them.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/content/source.h"
#include "fleet/content/verbs.h"

struct verify {
	struct content_source source;
	struct content_tree tree;
	struct content_wanted wanted;
	struct content_fetched fetched;
};

static void verify_finish(struct verify *v)
{
	strlist_finish(&v->fetched.packs);
	content_wanted_finish(&v->wanted);
	content_tree_finish(&v->tree);
	content_source_finish(&v->source);
}

/* Those whose index could not be read. */
static void add_missing(struct verify *v)
{
	const struct content_root *root = &v->source.root;

	for (size_t i = 0; i < root->n_packs; i++) {
		bool is_known = false;

		for (size_t k = 0; k < v->source.known.n_packs; k++)
			is_known |= !strcmp(v->source.known.packs[k].name, root->packs[i]);
		if (!is_known)
			strlist_add(&v->fetched.packs, root->packs[i]);
	}
}

static int condemn(struct verify *v, struct aisbx_error *e)
{
	scoped(content_state_finish) struct content_state st = { 0 };
	int r = content_state_load(v->source.store, &st, e);

	return r < 0 ? r
		     : content_state_say(v->source.store, "condemned", st.generation, &v->fetched.packs, e);
}

static int look(struct verify *v, struct content_request *q, struct aisbx_error *e)
{
	int r = content_source_tree(&v->source, q, &v->tree, e);

	if (r == -EBADMSG) { /* the tree itself: all of its packs are suspect */
		for (size_t i = 0; i < v->source.root.n_packs; i++)
			strlist_add(&v->fetched.packs, v->source.root.packs[i]);
		v->fetched.damaged++;
		return 0;
	}
	if (r == 0)
		r = content_wanted_init(&v->wanted, &v->tree, NULL, e);
	if (r == 0)
		r = content_fetch(&v->wanted, &v->source, q, 0, &v->fetched, e);
	if (r == 0)
		add_missing(v);
	return r;
}

int content_verify(struct content_request *q, json_t **ret, struct aisbx_error *e)
{
	scoped(verify_finish) struct verify v = { .source = CONTENT_SOURCE_INIT };
	uint64_t bad;
	int r = content_source_open(q, q->stores[0], &v.source, e);

	if (r == 0)
		r = look(&v, q, e);
	if (r < 0)
		return r;
	bad = v.fetched.missing + v.fetched.damaged;
	if (bad && !q->is_condemned)
		return aisbx_refuse(
			e, AISBX_KIND_CONFLICT, AISBX_AREA_LAYER, EBADMSG,
			"%llu chunks are missing and %llu damaged, in %zu packs, the first of them %s; "
			"'verify --condemn' gives those packs up, and the next push sends again what "
			"was in them",
			(unsigned long long)v.fetched.missing, (unsigned long long)v.fetched.damaged,
			v.fetched.packs.n, v.fetched.packs.n ? v.fetched.packs.items[0] : "unknown");
	if (bad)
		r = condemn(&v, e);
	if (r < 0)
		return r;
	*ret = json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "chunks", (json_int_t)v.fetched.chunks, "bytes",
			 (json_int_t)v.fetched.bytes, "missing", (json_int_t)v.fetched.missing, "damaged",
			 (json_int_t)v.fetched.damaged, "condemned",
			 (json_int_t)(bad ? v.fetched.packs.n : 0), "received",
			 (json_int_t)v.fetched.received);
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "tell what was read");
}
