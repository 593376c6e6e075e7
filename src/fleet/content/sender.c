/* SPDX-License-Identifier: Apache-2.0 */
/* Filling packs, and sending those that are full. */
#include "fleet/content/sender.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/error.h"

int content_sender_init(struct content_sender *ret, struct content_store *s, const struct content_key *k,
			struct content_known *known, uint64_t generation, struct aisbx_error *e)
{
	*ret = (struct content_sender){ .store = s, .key = k, .known = known, .generation = generation };
	return content_coder_init(&ret->coder, e);
}

void content_sender_finish(struct content_sender *s)
{
	content_coder_finish(&s->coder);
	content_index_finish(&s->index);
	buf_finish(&s->pack);
}

bool content_sender_has(struct content_sender *s, const struct content_ref *ref)
{
	struct content_found *f = NULL;

	if (content_ref_is_hole(ref))
		return true;
	while ((f = content_known_find(s->known, ref, f)))
		if (!s->known->packs[f->pack].is_gone) {
			s->known->packs[f->pack].is_used = true;
			return true;
		}
	return false;
}

static int begin(struct content_sender *s, struct aisbx_error *e)
{
	char name[CONTENT_PACK_NAME];
	struct timespec now;
	uint64_t word;
	int r;

	if (getrandom(&word, sizeof(word), 0) != sizeof(word))
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "name a pack");
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, sizeof(name), "%010llu-%012llx-%016llx",
		 (unsigned long long)s->generation % 10000000000u,
		 ((unsigned long long)now.tv_sec * 1000u + (unsigned long long)now.tv_nsec / 1000000u) &
			 0xffffffffffffull,
		 (unsigned long long)word);
	s->index.generation = s->generation;
	r = content_known_add_pack(s->known, name, &s->number);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "begin a pack") : 0;
}

int content_sender_flush(struct content_sender *s, struct aisbx_error *e)
{
	const char *name;
	char object[64];
	size_t payload = s->pack.len;
	int r;

	if (!s->index.n)
		return 0;
	name = s->known->packs[s->number].name;
	snprintf(object, sizeof(object), "packs/%s", name);
	r = content_index_write(&s->index, s->key, &s->pack);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "write the pack %s", name);
	r = content_put(s->store, object, s->pack.data, s->pack.len, true, e);
	if (r == -EEXIST) /* a try whose answer was lost did it: nobody else has this name */
		r = 0;
	if (r == 0) {
		content_known_keep(s->known, name, s->pack.data + payload, s->pack.len - payload);
		s->packs++;
	}
	s->pack.len = 0;
	content_index_finish(&s->index);
	return r;
}

int content_sender_add(struct content_sender *s, const void *data, size_t len, struct content_ref *ret,
		       struct aisbx_error *e)
{
	struct content_ref ref = { .len = (uint32_t)len };
	size_t from = s->pack.len;
	bool is_packed = false;
	int r;

	content_name(s->key->chunk, data, len, ref.id);
	*ret = ref;
	if (content_sender_has(s, &ref))
		return 0;
	if (!s->index.n && (r = begin(s, e)) < 0)
		return r;
	r = content_chunk_pack(&s->coder, data, len, &s->pack, &is_packed);
	if (r == 0)
		r = content_index_add(&s->index, &ref, (uint32_t)(s->pack.len - from), is_packed);
	if (r == 0)
		r = content_known_add(s->known, &s->index.items[s->index.n - 1], s->number);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "pack a chunk");
	s->known->packs[s->number].is_used = true;
	s->chunks++;
	if (s->pack.len >= CONTENT_PACK_USUAL || s->index.n == CONTENT_PACK_COUNT)
		return content_sender_flush(s, e);
	return 0;
}
