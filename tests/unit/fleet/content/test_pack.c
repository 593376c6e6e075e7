/* SPDX-License-Identifier: Apache-2.0 */
/* Packs, chunks and roots: keys keep tenants apart, and no damage is overlooked. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "fleet/content/chunk.h"
#include "fleet/content/pack.h"
#include "fleet/content/root.h"

#define PACK "0000000001-0123456789ab-0123456789abcdef"

static void key_of(const char *tenant, struct content_key *ret)
{
	static const uint8_t secret[CONTENT_ID] = { 1, 2, 3 };

	content_key_init(secret, tenant, ret);
}

static void tenants_differ(void **state)
{
	struct content_key a, b;
	uint8_t of_a[CONTENT_ID], of_b[CONTENT_ID], of_tree[CONTENT_ID];

	(void)state;
	key_of("acme", &a);
	key_of("other", &b); /* even with the same secret */
	content_name(a.chunk, "same", 4, of_a);
	content_name(b.chunk, "same", 4, of_b);
	content_name(a.tree, "same", 4, of_tree);
	assert_memory_not_equal(of_a, of_b, CONTENT_ID);
	assert_memory_not_equal(of_a, of_tree, CONTENT_ID);
	assert_string_not_equal(a.name, b.name);
	assert_true(content_tenant_is_good("a-b.c_9"));
	assert_false(content_tenant_is_good(""));
	assert_false(content_tenant_is_good(".."));
	assert_false(content_tenant_is_good("a/b"));
	assert_false(content_tenant_is_good("A"));
}

static void chunks_are_checked(void **state)
{
	static char data[100000];
	struct content_coder c;
	struct content_key k;
	struct content_ref ref = { .len = sizeof(data) };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct buf stored = { 0 };
	const uint8_t *back;
	bool is_packed = false;

	(void)state;
	key_of("acme", &k);
	assert_int_equal(content_coder_init(&c, &e), 0);
	content_name(k.chunk, data, sizeof(data), ref.id);
	assert_int_equal(content_chunk_pack(&c, data, sizeof(data), &stored, &is_packed), 0);
	assert_true(is_packed && stored.len < 1000);
	assert_int_equal(content_chunk_unpack(&c, &k, &ref, stored.data, stored.len, true, &back), 0);
	assert_memory_equal(back, data, sizeof(data));
	for (size_t i = 0; i < stored.len; i++) {
		stored.data[i] ^= 1;
		assert_int_equal(content_chunk_unpack(&c, &k, &ref, stored.data, stored.len, true, &back) ==
						 0 &&
					 memcmp(back, data, sizeof(data)) != 0,
				 0);
		stored.data[i] ^= 1;
	}
	assert_int_equal(content_chunk_unpack(&c, &k, &ref, data, sizeof(data), false, &back), 0);
	data[5] = 1;
	assert_int_equal(content_chunk_unpack(&c, &k, &ref, data, sizeof(data), false, &back), -EBADMSG);
	data[5] = 0;
	ref.len--; /* a chunk that unpacks to more than was said */
	assert_int_equal(content_chunk_unpack(&c, &k, &ref, stored.data, stored.len, true, &back), -EBADMSG);
	buf_finish(&stored);
	content_coder_finish(&c);
}

static void index_of(size_t n, struct content_index *ret)
{
	*ret = (struct content_index){ .generation = 9 };
	for (size_t i = 0; i < n; i++) {
		struct content_ref ref = { .len = 100 };

		memset(ref.id, (int)i + 1, sizeof(ref.id));
		assert_int_equal(content_index_add(ret, &ref, i % 2 ? 50 : 100, i % 2), 0);
	}
}

static void index_comes_back(void **state)
{
	struct content_index i, back = { 0 };
	struct content_key k, other;
	struct buf text = { 0 };
	size_t needs = 0;

	(void)state;
	key_of("acme", &k);
	key_of("other", &other);
	index_of(5, &i);
	buf_add(&text, "chunks before it", 16);
	assert_int_equal(content_index_write(&i, &k, &text), 0);
	assert_int_equal(content_index_read(&k, text.data, text.len, &back, &needs), 0);
	assert_int_equal(back.n, 5);
	assert_true(back.generation == 9 && back.payload == 400);
	assert_int_equal(back.items[2].at, 150);
	assert_true(back.items[3].is_packed && !back.items[4].is_packed);
	content_index_finish(&back);
	/* The end alone tells how much is needed. */
	assert_int_equal(content_index_read(&k, text.data + text.len - 100, 100, &back, &needs), -ENODATA);
	assert_int_equal(needs, text.len - 16);
	assert_int_equal(content_index_read(&other, text.data, text.len, &back, &needs), -EBADMSG);
	for (size_t b = 16; b < text.len; b++) {
		text.data[b] ^= 0x10;
		assert_true(content_index_read(&k, text.data, text.len, &back, &needs) < 0);
		text.data[b] ^= 0x10;
	}
	for (size_t len = 0; len < CONTENT_PACK_FOOT; len++)
		assert_int_equal(content_index_read(&k, text.data + text.len - len, len, &back, &needs),
				 -EBADMSG);
	buf_finish(&text);
	content_index_finish(&i);
}

/* Sealed, and yet wrong. */
static void index_that_lies(void **state)
{
	static const struct {
		uint32_t stored, len;
		bool is_packed;
	} lies[] = { { 0, 100, true },
		     { 100, 0, false },
		     { 99, 100, false },
		     { 100, 100, true },
		     { 1, CONTENT_CHUNK_MOST + 1, true } };
	struct content_key k;

	(void)state;
	key_of("acme", &k);
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct content_index index = { 0 }, back = { 0 };
		struct content_ref ref = { .id = { 1 }, .len = lies[i].len };
		struct buf text = { 0 };
		size_t needs;

		assert_int_equal(content_index_add(&index, &ref, lies[i].stored, lies[i].is_packed), 0);
		assert_int_equal(content_index_write(&index, &k, &text), 0);
		assert_int_equal(content_index_read(&k, text.data, text.len, &back, &needs), -EBADMSG);
		assert_null(back.items);
		buf_finish(&text);
		content_index_finish(&index);
	}
}

static void root_comes_back(void **state)
{
	struct content_root r = { .bytes = 7, .entries = 3 }, back = { 0 };
	struct content_ref ref = { .id = { 5 }, .len = 12 };
	uint8_t id[CONTENT_ID], same[CONTENT_ID];
	struct content_key k, other;
	struct buf text = { 0 };

	(void)state;
	key_of("acme", &k);
	key_of("other", &other);
	assert_int_equal(content_root_add_ref(&r, &ref), 0);
	content_root_id(&r, &k, id);
	assert_int_equal(content_root_add_pack(&r, PACK), 0);
	content_root_id(&r, &k, same); /* where it lies does not matter */
	assert_memory_equal(id, same, CONTENT_ID);
	assert_int_equal(content_root_write(&r, &k, &text), 0);
	assert_int_equal(content_root_read(&k, text.data, text.len, &back), 0);
	assert_string_equal(back.packs[0], PACK);
	content_root_finish(&back);
	assert_int_equal(content_root_read(&other, text.data, text.len, &back), -EBADMSG);
	for (size_t i = 0; i < text.len; i++) {
		text.data[i] ^= 4;
		assert_int_equal(content_root_read(&k, text.data, text.len, &back), -EBADMSG);
		text.data[i] ^= 4;
		assert_int_equal(content_root_read(&k, text.data, i, &back), -EBADMSG);
	}
	assert_false(content_pack_name_is_good("../../0001-0123456789ab-0123456789abcdef"));
	buf_finish(&text);
	content_root_finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tenants_differ),   cmocka_unit_test(chunks_are_checked),
		cmocka_unit_test(index_comes_back), cmocka_unit_test(index_that_lies),
		cmocka_unit_test(root_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
