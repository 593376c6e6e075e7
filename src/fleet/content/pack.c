/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indexes of packs, to bytes and back. Of each chunk: its name, the bytes it takes (the first bit: packed by
 * zstd), the bytes it is. Then the foot: magic, generation, number of chunks, bytes before the index, 8 bytes
 * of 0, and a seal over all of it by the tenant's key.
 */
#include "fleet/content/pack.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

#define MAGIC     "aisbxPK1"
#define ONE       (CONTENT_ID + 8)
#define IS_PACKED (1u << 31)
#define SEALED    (CONTENT_PACK_FOOT - CONTENT_ID) /* bytes of the foot before its seal */

struct foot {
	char magic[8];
	uint64_t generation;
	uint32_t n, payload;
	uint64_t zero;
	uint8_t seal[CONTENT_ID];
} __attribute__((packed));

_Static_assert(sizeof(struct foot) == CONTENT_PACK_FOOT, "the foot has no gaps");

void content_index_finish(struct content_index *i)
{
	free(i->items);
	*i = (struct content_index){ 0 };
}

int content_index_add(struct content_index *i, const struct content_ref *ref, uint32_t stored, bool is_packed)
{
	if (i->n == CONTENT_PACK_COUNT || stored > CONTENT_PACK_MOST - i->payload)
		return -EFBIG;
	if (i->n == i->room) {
		size_t room = i->room ? 2 * i->room : 64;
		struct content_place *items = reallocarray(i->items, room, sizeof(*items));

		if (!items)
			return -ENOMEM;
		i->items = items;
		i->room = room;
	}
	i->items[i->n++] = (struct content_place){
		.ref = *ref, .at = i->payload, .stored = stored, .is_packed = is_packed
	};
	i->payload += stored;
	return 0;
}

int content_index_write(const struct content_index *i, const struct content_key *k, struct buf *ret)
{
	struct foot foot = { .generation = htole64(i->generation),
			     .n = htole32((uint32_t)i->n),
			     .payload = htole32(i->payload) };
	size_t from = ret->len;

	memcpy(foot.magic, MAGIC, sizeof(foot.magic));
	for (size_t c = 0; c < i->n; c++) {
		const struct content_place *p = &i->items[c];
		uint32_t numbers[2] = { htole32(p->stored | (p->is_packed ? IS_PACKED : 0)),
					htole32(p->ref.len) };

		buf_add(ret, p->ref.id, CONTENT_ID);
		buf_add(ret, numbers, sizeof(numbers));
	}
	buf_add(ret, &foot, SEALED);
	if (ret->failed)
		return -ENOMEM;
	content_name(k->seal, ret->data + from, ret->len - from, foot.seal);
	buf_add(ret, foot.seal, sizeof(foot.seal));
	return ret->failed ? -ENOMEM : 0;
}

static int read_one(const uint8_t *at, struct content_index *i)
{
	struct content_ref ref;
	uint32_t numbers[2];
	bool is_packed;

	memcpy(ref.id, at, CONTENT_ID);
	memcpy(numbers, at + CONTENT_ID, sizeof(numbers));
	numbers[0] = le32toh(numbers[0]);
	ref.len = le32toh(numbers[1]);
	is_packed = numbers[0] & IS_PACKED;
	numbers[0] &= ~IS_PACKED;
	if (!numbers[0] || !ref.len || ref.len > CONTENT_CHUNK_MOST || content_ref_is_hole(&ref) ||
	    (is_packed ? numbers[0] >= ref.len : numbers[0] != ref.len))
		return -EBADMSG;
	return content_index_add(i, &ref, numbers[0], is_packed);
}

int content_index_read(const struct content_key *k, const void *data, size_t len, struct content_index *ret,
		       size_t *ret_needs)
{
	scoped(content_index_finish) struct content_index i = { 0 };
	uint8_t seal[CONTENT_ID];
	const uint8_t *at;
	struct foot foot;
	size_t whole;

	if (len < sizeof(foot))
		return -EBADMSG;
	memcpy(&foot, (const uint8_t *)data + len - sizeof(foot), sizeof(foot));
	foot.n = le32toh(foot.n);
	if (memcmp(foot.magic, MAGIC, sizeof(foot.magic)) != 0 || foot.zero || foot.n > CONTENT_PACK_COUNT)
		return -EBADMSG;
	whole = (size_t)foot.n * ONE + sizeof(foot);
	if (len < whole) {
		*ret_needs = whole;
		return -ENODATA;
	}
	at = (const uint8_t *)data + len - whole;
	content_name(k->seal, at, whole - CONTENT_ID, seal);
	if (memcmp(seal, foot.seal, sizeof(seal)) != 0)
		return -EBADMSG;
	for (uint32_t c = 0; c < foot.n; c++, at += ONE) {
		int r = read_one(at, &i);

		if (r < 0)
			return r == -EFBIG ? -EBADMSG : r;
	}
	if (i.payload != le32toh(foot.payload))
		return -EBADMSG;
	i.generation = le64toh(foot.generation);
	*ret = i;
	i = (struct content_index){ 0 };
	return 0;
}
