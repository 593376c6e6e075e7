/* SPDX-License-Identifier: Apache-2.0 */
/* The list of chunks, and writing them. */
#include "fleet/content/wanted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

static int compare_refs(const struct content_ref *a, const struct content_ref *b)
{
	int order = memcmp(a->id, b->id, CONTENT_ID);

	return order ? order : (a->len > b->len) - (a->len < b->len);
}

static int compare(const void *a, const void *b)
{
	const struct content_use *x = a, *y = b;
	int order = compare_refs(&x->ref, &y->ref);

	if (order)
		return order;
	return x->entry != y->entry ? (x->entry > y->entry) - (x->entry < y->entry)
				    : (x->at > y->at) - (x->at < y->at);
}

static size_t count(const struct content_tree *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		for (size_t c = 0; c < t->entries[i].n_refs; c++)
			n += !content_ref_is_hole(&t->entries[i].refs[c]);
	return n;
}

static void collect(struct content_wanted *w, const struct content_tree *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct content_entry *n = &t->entries[i];
		uint64_t at = 0;

		for (size_t c = 0; c < n->n_refs; at += n->refs[c++].len)
			if (!content_ref_is_hole(&n->refs[c]))
				w->uses[w->n_uses++] = (struct content_use){ .ref = n->refs[c],
									     .entry = (uint32_t)i,
									     .at = at };
	}
}

int content_wanted_init(struct content_wanted *ret, const struct content_tree *t,
			const struct content_target *target, struct aisbx_error *e)
{
	struct content_wanted w = { .tree = t, .target = target };
	size_t n = count(t);

	w.uses = calloc(n + 1, sizeof(*w.uses));
	w.wants = calloc(n + 1, sizeof(*w.wants));
	if (!w.uses || !w.wants) {
		content_wanted_finish(&w);
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "list the chunks of a tree");
	}
	collect(&w, t);
	if (w.n_uses)
		qsort(w.uses, w.n_uses, sizeof(*w.uses), compare);
	for (size_t i = 0; i < w.n_uses; i++) {
		if (!i || compare_refs(&w.uses[i - 1].ref, &w.uses[i].ref) != 0)
			w.wants[w.n++].first = i;
		w.wants[w.n - 1].n++;
	}
	*ret = w;
	return 0;
}

void content_wanted_finish(struct content_wanted *w)
{
	free(w->uses);
	free(w->wants);
	*w = (struct content_wanted){ 0 };
}

const struct content_ref *content_want_ref(const struct content_wanted *w, const struct content_want *want)
{
	return &w->uses[want->first].ref;
}

struct content_want *content_wanted_find(const struct content_wanted *w, const struct content_ref *ref)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_refs(ref, content_want_ref(w, &w->wants[middle]));

		if (!order)
			return &w->wants[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static int write_at(int fd, const uint8_t *data, size_t len, uint64_t at)
{
	while (len) {
		ssize_t n = pwrite(fd, data, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

int content_want_write(const struct content_wanted *w, struct content_want *want, const uint8_t *data)
{
	for (size_t i = want->first; w->target && i < want->first + want->n; i++) {
		struct content_use *u = &w->uses[i];
		scoped(drop_fd) int fd = -1;
		int r;

		if (u->is_there)
			continue;
		fd = content_target_file(w->target, w->tree->entries[u->entry].path);
		r = fd < 0 ? fd : write_at(fd, data, u->ref.len, u->at);
		if (r < 0)
			return r;
		u->is_there = true;
	}
	want->is_there = true;
	return 0;
}

uint64_t content_wanted_left(const struct content_wanted *w, size_t *ret_n)
{
	uint64_t bytes = 0;

	*ret_n = 0;
	for (size_t i = 0; i < w->n; i++)
		if (!w->wants[i].is_there) {
			bytes += content_want_ref(w, &w->wants[i])->len;
			++*ret_n;
		}
	return bytes;
}
