/* SPDX-License-Identifier: Apache-2.0 */
/* Fetching chunks by ranges of packs, with a few threads that take one range after the other. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/content/source.h"

#define THREADS 4u
#define RANGE   (8u << 20) /* bytes of a range, at most, unless one chunk is more */
#define GAP_MOST                                                                                   \
	(32u << 10) /* bytes that are fetched although nobody wants them, rather than asking twice \
		     */

struct part {
	struct content_want *want;         /* borrowed */
	const struct content_found *found; /* borrowed */
};

struct range {
	size_t first, n; /* parts */
	uint64_t at, len;
};

struct fetch {
	struct content_wanted *wanted;
	const struct content_source *source;
	const struct content_request *request;
	struct part *parts; /* owned */
	size_t n_parts;
	struct range *ranges; /* owned */
	size_t n_ranges;
	atomic_size_t next; /* range */
	atomic_bool stop;
	pthread_mutex_t lock; /* of what follows */
	struct content_fetched *ret;
	struct aisbx_error e;
	int r;
};

static int compare(const void *a, const void *b)
{
	const struct content_found *x = ((const struct part *)a)->found, *y = ((const struct part *)b)->found;

	return x->pack != y->pack ? (x->pack > y->pack) - (x->pack < y->pack)
				  : (x->place.at > y->place.at) - (x->place.at < y->place.at);
}

static void note_bad(struct fetch *f, const struct content_found *found, uint64_t *count)
{
	pthread_mutex_lock(&f->lock);
	++*count;
	if (!strlist_has(&f->ret->packs, f->source->known.packs[found->pack].name))
		strlist_add(&f->ret->packs, f->source->known.packs[found->pack].name);
	pthread_mutex_unlock(&f->lock);
}

static void note_error(struct fetch *f, int r, const struct aisbx_error *e)
{
	pthread_mutex_lock(&f->lock);
	if (f->r == 0) {
		f->r = r;
		f->e = *e;
	}
	pthread_mutex_unlock(&f->lock);
	f->stop = true;
}

/* The place of a chunk whose number is PLACE; NULL: it has not so many. */
static const struct content_found *place_of(const struct content_known *k, const struct content_ref *ref,
					    unsigned int place)
{
	const struct content_found *found = content_known_find(k, ref, NULL);

	while (found && place--)
		found = content_known_find(k, ref, found);
	return found;
}

static int plan(struct fetch *f, unsigned int place)
{
	struct content_wanted *w = f->wanted;

	f->parts = calloc(w->n + 1, sizeof(*f->parts));
	f->ranges = calloc(w->n + 1, sizeof(*f->ranges));
	if (!f->parts || !f->ranges)
		return -ENOMEM;
	for (size_t i = 0; i < w->n; i++) {
		const struct content_found *found;

		if (w->wants[i].is_there)
			continue;
		found = place_of(&f->source->known, content_want_ref(w, &w->wants[i]), place);
		if (found)
			f->parts[f->n_parts++] = (struct part){ &w->wants[i], found };
		else
			f->ret->missing++;
	}
	if (f->n_parts)
		qsort(f->parts, f->n_parts, sizeof(*f->parts), compare);
	for (size_t i = 0; i < f->n_parts; i++) {
		const struct content_found *found = f->parts[i].found;
		struct range *last = f->n_ranges ? &f->ranges[f->n_ranges - 1] : NULL;
		uint64_t end = (uint64_t)found->place.at + found->place.stored;

		if (last && f->parts[i - 1].found->pack == found->pack && end - last->at <= RANGE &&
		    found->place.at - (last->at + last->len) <= GAP_MOST) {
			last->len = end - last->at;
			last->n++;
		} else {
			f->ranges[f->n_ranges++] = (struct range){
				.first = i, .n = 1, .at = found->place.at, .len = found->place.stored
			};
		}
	}
	return 0;
}

static int take_part(struct fetch *f, struct content_coder *c, const struct range *range,
		     const struct part *part, const struct buf *got, struct aisbx_error *e)
{
	const struct content_place *p = &part->found->place;
	uint64_t at = p->at - range->at;
	const uint8_t *data;
	int r;

	if (at + p->stored > got->len || content_chunk_unpack(c, &f->request->key, &p->ref, got->data + at,
							      p->stored, p->is_packed, &data) < 0) {
		note_bad(f, part->found, &f->ret->damaged);
		return 0;
	}
	r = content_want_write(f->wanted, part->want, data);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "write what was fetched");
	pthread_mutex_lock(&f->lock);
	f->ret->chunks++;
	f->ret->bytes += p->ref.len;
	pthread_mutex_unlock(&f->lock);
	return 0;
}

static int take_range(struct fetch *f, struct content_store *s, struct content_coder *c,
		      const struct range *range, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf got = { 0 };
	char name[64];
	int r;

	snprintf(name, sizeof(name), "packs/%s",
		 f->source->known.packs[f->parts[range->first].found->pack].name);
	r = content_get(s, name, range->at, range->len, &got, e);
	if (r == -ENOENT) {
		for (size_t i = 0; i < range->n; i++)
			note_bad(f, f->parts[range->first + i].found, &f->ret->missing);
		return 0;
	}
	for (size_t i = 0; r == 0 && i < range->n; i++)
		r = take_part(f, c, range, &f->parts[range->first + i], &got, e);
	return r;
}

static void *work(void *ctx)
{
	struct fetch *f = ctx;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct content_store *s = NULL;
	struct content_coder c = { 0 };
	int r = content_store_open(f->source->store->url, f->request->tenant, &f->request->key, &s, &e);

	if (r == 0)
		r = content_coder_init(&c, &e);
	while (r == 0 && !f->stop) {
		size_t i = f->next++;

		if (i >= f->n_ranges)
			break;
		r = take_range(f, s, &c, &f->ranges[i], &e);
	}
	if (r < 0)
		note_error(f, r, &e);
	pthread_mutex_lock(&f->lock);
	f->ret->received += s ? s->got : 0;
	pthread_mutex_unlock(&f->lock);
	content_coder_finish(&c);
	content_store_close(s);
	return NULL;
}

int content_fetch(struct content_wanted *w, const struct content_source *s, const struct content_request *q,
		  unsigned int place, struct content_fetched *ret, struct aisbx_error *e)
{
	struct fetch f = {
		.wanted = w, .source = s, .request = q, .ret = ret, .lock = PTHREAD_MUTEX_INITIALIZER
	};
	pthread_t threads[THREADS];
	size_t n = 0;
	int r = plan(&f, place);

	if (r < 0)
		f.r = aisbx_fail(&f.e, AISBX_AREA_LAYER, -r, "plan what is fetched");
	while (r == 0 && n < THREADS && n + 1 < f.n_ranges &&
	       pthread_create(&threads[n], NULL, work, &f) == 0)
		n++;
	if (r == 0 && f.n_ranges)
		work(&f); /* one of them is us */
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(f.parts);
	free(f.ranges);
	if (f.r < 0)
		*e = f.e;
	return f.r;
}
