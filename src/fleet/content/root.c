/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roots of trees, to bytes and back: magic, bytes, entries, number of chunks, number of packs; chunks, names
 * of packs; a seal over all of it.
 */
#include "fleet/content/root.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <blake3.h>

#include "base/scope.h"

#define MAGIC "aisbxRT1"
#define HEAD  32u
#define ONE   (CONTENT_ID + 4)
#define NAME  (CONTENT_PACK_NAME - 1)

void content_root_finish(struct content_root *r)
{
	free(r->refs);
	free(r->packs);
	*r = (struct content_root){ 0 };
}

int content_root_add_ref(struct content_root *r, const struct content_ref *ref)
{
	if (r->n_refs == CONTENT_ROOT_REFS)
		return -EFBIG;
	if (!(r->n_refs & (r->n_refs - 1))) {
		struct content_ref *refs =
			reallocarray(r->refs, r->n_refs ? 2 * r->n_refs : 1, sizeof(*refs));

		if (!refs)
			return -ENOMEM;
		r->refs = refs;
	}
	r->refs[r->n_refs++] = *ref;
	return 0;
}

int content_root_add_pack(struct content_root *r, const char *name)
{
	if (r->n_packs == CONTENT_ROOT_PACKS)
		return -EFBIG;
	if (!(r->n_packs & (r->n_packs - 1))) {
		char(*packs)[CONTENT_PACK_NAME] =
			reallocarray(r->packs, r->n_packs ? 2 * r->n_packs : 1, sizeof(*packs));

		if (!packs)
			return -ENOMEM;
		r->packs = packs;
	}
	memcpy(r->packs[r->n_packs], name, NAME);
	r->packs[r->n_packs++][NAME] = '\0';
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

void content_root_sort(struct content_root *r)
{
	if (r->n_packs)
		qsort(r->packs, r->n_packs, sizeof(*r->packs), compare);
}

void content_root_id(const struct content_root *r, const struct content_key *k, uint8_t ret[CONTENT_ID])
{
	uint64_t numbers[2] = { htole64(r->bytes), htole64(r->entries) };
	blake3_hasher h;

	blake3_hasher_init_keyed(&h, k->tree);
	blake3_hasher_update(&h, numbers, sizeof(numbers));
	for (size_t i = 0; i < r->n_refs; i++) {
		uint32_t len = htole32(r->refs[i].len);

		blake3_hasher_update(&h, r->refs[i].id, CONTENT_ID);
		blake3_hasher_update(&h, &len, sizeof(len));
	}
	blake3_hasher_finalize(&h, ret, CONTENT_ID);
}

int content_root_write(const struct content_root *r, const struct content_key *k, struct buf *ret)
{
	uint64_t numbers[2] = { htole64(r->bytes), htole64(r->entries) };
	uint32_t counts[2] = { htole32((uint32_t)r->n_refs), htole32((uint32_t)r->n_packs) };
	uint8_t seal[CONTENT_ID];

	buf_add(ret, MAGIC, 8);
	buf_add(ret, numbers, sizeof(numbers));
	buf_add(ret, counts, sizeof(counts));
	for (size_t i = 0; i < r->n_refs; i++) {
		uint32_t len = htole32(r->refs[i].len);

		buf_add(ret, r->refs[i].id, CONTENT_ID);
		buf_add(ret, &len, sizeof(len));
	}
	for (size_t i = 0; i < r->n_packs; i++)
		buf_add(ret, r->packs[i], NAME);
	if (ret->failed)
		return -ENOMEM;
	content_name(k->seal, ret->data, ret->len, seal);
	buf_add(ret, seal, sizeof(seal));
	return ret->failed ? -ENOMEM : 0;
}

bool content_pack_name_is_good(const char *name)
{
	return strlen(name) == NAME && strspn(name, "0123456789") == 10 && name[10] == '-' &&
	       strspn(name + 11, "0123456789abcdef") == 12 && name[23] == '-' &&
	       strspn(name + 24, "0123456789abcdef") == 16;
}

static int read_lists(const uint8_t *at, size_t n_refs, size_t n_packs, struct content_root *r)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < n_refs; i++, at += ONE) {
		struct content_ref ref;

		memcpy(ref.id, at, CONTENT_ID);
		memcpy(&ref.len, at + CONTENT_ID, sizeof(ref.len));
		ref.len = le32toh(ref.len);
		if (!ref.len || ref.len > CONTENT_CHUNK_MOST)
			return -EBADMSG;
		result = content_root_add_ref(r, &ref);
	}
	for (size_t i = 0; result == 0 && i < n_packs; i++, at += NAME) {
		result = content_root_add_pack(r, (const char *)at);
		if (result == 0 && (!content_pack_name_is_good(r->packs[i]) ||
				    (i && strcmp(r->packs[i - 1], r->packs[i]) >= 0)))
			return -EBADMSG;
	}
	return result;
}

int content_root_read(const struct content_key *k, const void *data, size_t len, struct content_root *ret)
{
	scoped(content_root_finish) struct content_root r = { 0 };
	const uint8_t *at = data;
	uint8_t seal[CONTENT_ID];
	uint64_t numbers[2];
	uint32_t counts[2];
	int result;

	if (len < HEAD + CONTENT_ID || memcmp(at, MAGIC, 8) != 0)
		return -EBADMSG;
	memcpy(numbers, at + 8, sizeof(numbers));
	memcpy(counts, at + 24, sizeof(counts));
	counts[0] = le32toh(counts[0]);
	counts[1] = le32toh(counts[1]);
	if (!counts[0] || counts[0] > CONTENT_ROOT_REFS || counts[1] > CONTENT_ROOT_PACKS ||
	    len != HEAD + (size_t)counts[0] * ONE + (size_t)counts[1] * NAME + CONTENT_ID)
		return -EBADMSG;
	content_name(k->seal, at, len - CONTENT_ID, seal);
	if (memcmp(seal, at + len - CONTENT_ID, sizeof(seal)) != 0)
		return -EBADMSG;
	r.bytes = le64toh(numbers[0]);
	r.entries = le64toh(numbers[1]);
	result = read_lists(at + HEAD, counts[0], counts[1], &r);
	if (result < 0)
		return result;
	*ret = r;
	r = (struct content_root){ 0 };
	return 0;
}
