/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks: where they are cut, that they are stored once, and what is done about damage. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/cut.h"
#include "helpers/image/chunks.h"
#include "layer/layer.h"

#define SIZE (4u << 20)

/* The same each time, and as hard to guess as a compressed file. */
static void noise(uint8_t *data, size_t len, uint64_t seed)
{
	for (size_t i = 0; i < len; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		data[i] = (uint8_t)(seed >> 56);
	}
}

static size_t cut_ends(const struct cut *c, const uint8_t *data, size_t len, size_t *ends)
{
	size_t n = 0;

	for (size_t at = 0; at < len; ends[n++] = at) {
		size_t left = len - at, got = cut_find(c, data + at, left < c->most ? left : c->most);

		assert_true(got > 0 && got <= left && got <= c->most);
		assert_true(got >= c->least || got == left);
		at += got;
	}
	return n;
}

static void insertions_move_few_cuts(void **state)
{
	static uint8_t a[SIZE], b[SIZE + 7];
	static size_t of_a[SIZE / 1024], of_b[SIZE / 1024];
	size_t n, m, same = 0;
	struct cut c;

	(void)state;
	cut_init(&c, false);
	noise(a, SIZE, 1);
	memcpy(b, a, SIZE / 2);
	memcpy(b + SIZE / 2, "7 bytes", 7);
	memcpy(b + SIZE / 2 + 7, a + SIZE / 2, SIZE / 2);
	n = cut_ends(&c, a, SIZE, of_a);
	m = cut_ends(&c, b, sizeof(b), of_b);
	assert_in_range(n, SIZE / CUT_MOST, SIZE / (32u << 10));
	for (size_t i = 0, k = 0; i < n; i++) {
		size_t there = of_a[i] > SIZE / 2 ? of_a[i] + 7 : of_a[i];

		while (k < m && of_b[k] < there)
			k++;
		same += k < m && of_b[k] == there;
	}
	assert_true(same + 4 >= n);
}

static void parts_of_compressed_files_are_chunks(void **state)
{
	static uint8_t data[200000];
	static size_t ends[1000];
	struct cut c;

	(void)state;
	noise(data, sizeof(data), 2);
	memcpy(data, "\x1f\x8b\x08\0\0\0\0\0", 8);
	memcpy(data + 50000, "\x1f\x8b\x08\0\0\0\0\0", 8);
	memcpy(data + 50100, "\x1f\x8b\x08\0\0\0\0\0", 8); /* too near */
	memcpy(data + 120000, "\x28\xb5\x2f\xfd", 4);
	cut_init(&c, true);
	assert_int_equal(cut_first_part(data, sizeof(data)), 50000);
	c.least = 1; /* what cut_ends asserts */
	assert_int_equal(cut_ends(&c, data, 50000, ends), 1);
	cut_init(&c, true);
	assert_int_equal(cut_find(&c, data, sizeof(data)), 50000);
	assert_int_equal(cut_find(&c, data + 50000, sizeof(data) - 50000), 70000);
	assert_int_equal(cut_find(&c, data + 120000, 80000), 80000);
}

struct place {
	char dir[64];
	struct blobs blobs;
};

static int make_place(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	struct aisbx_error e = AISBX_ERROR_INIT;
	char blobs[80];

	snprintf(p->dir, sizeof(p->dir), "/tmp/aisbx-chunks-XXXXXX");
	if (!mkdtemp(p->dir))
		return -1;
	snprintf(blobs, sizeof(blobs), "%s/blobs", p->dir);
	*state = p;
	return blobs_open(blobs, 0, &p->blobs, &e) < 0 || blobs_make_chunks(blobs, &p->blobs, &e) < 0;
}

static int remove_place(void **state)
{
	struct place *p = *state;

	blobs_close(&p->blobs);
	layer_remove_at(AT_FDCWD, p->dir);
	free(p);
	return 0;
}

static void add_one(struct place *p, const uint8_t *data, size_t len, struct chunk_ref *ret, uint64_t stored)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct chunk_adder a = { 0 };

	assert_int_equal(chunk_adder_begin(&p->blobs, &a, &e), 0);
	assert_int_equal(chunk_add(&a, data, len, ret, &e), 0);
	assert_int_equal(chunk_add(&a, data, len, ret, &e), 0);
	assert_true(stored == UINT64_MAX ? a.stored > 0 : a.stored == stored);
	assert_int_equal(chunk_adder_end(&a, &e), 0);
	chunk_adder_finish(&a);
}

static void chunks_are_stored_once(void **state)
{
	struct place *p = *state;
	static uint8_t data[100000], got[100000];
	struct chunk_ref ref, same;

	noise(data, sizeof(data), 3);
	add_one(p, data, sizeof(data), &ref, sizeof(data) + 1);
	add_one(p, data, sizeof(data), &same, 0);
	assert_memory_equal(&ref, &same, sizeof(ref));
	assert_int_equal(chunk_read(p->blobs.chunks, &ref, got), 0);
	assert_memory_equal(data, got, sizeof(data));
	memset(data, 'x', sizeof(data)); /* this one gets smaller */
	add_one(p, data, sizeof(data), &ref, UINT64_MAX);
	assert_int_equal(chunk_read(p->blobs.chunks, &ref, got), 0);
	assert_memory_equal(data, got, sizeof(data));
}

static void a_damaged_chunk_is_found_and_replaced(void **state)
{
	struct place *p = *state;
	static uint8_t data[50000], got[50000];
	struct chunk_ref ref, wrong;
	char name[CHUNK_NAME];
	int fd;

	noise(data, sizeof(data), 4);
	add_one(p, data, sizeof(data), &ref, sizeof(data) + 1);
	chunk_name(ref.id, name);
	assert_int_equal(fchmodat(p->blobs.chunks, name, 0600, 0), 0);
	fd = openat(p->blobs.chunks, name, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "?", 1, 777), 1);
	close(fd);
	assert_int_equal(chunk_read(p->blobs.chunks, &ref, got), -EBADMSG);
	add_one(p, data, sizeof(data), &ref, sizeof(data) + 1);
	assert_int_equal(chunk_read(p->blobs.chunks, &ref, got), 0);
	wrong = ref;
	wrong.len--;
	assert_int_equal(chunk_read(p->blobs.chunks, &wrong, got), -EBADMSG);
	wrong = ref;
	wrong.id[31] ^= 1;
	assert_int_equal(chunk_read(p->blobs.chunks, &wrong, got), -ENOENT);
}

static void known_hash(void **state)
{
	static const uint8_t abc[] = { 0x64, 0x37, 0xb3, 0xac, 0x38, 0x46, 0x51, 0x33 }; /* of "abc" */
	uint8_t id[CHUNK_ID_BYTES];

	(void)state;
	chunk_id("abc", 3, id);
	assert_memory_equal(id, abc, sizeof(abc));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(insertions_move_few_cuts),
		cmocka_unit_test(parts_of_compressed_files_are_chunks),
		cmocka_unit_test(known_hash),
		cmocka_unit_test_setup_teardown(chunks_are_stored_once, make_place, remove_place),
		cmocka_unit_test_setup_teardown(a_damaged_chunk_is_found_and_replaced, make_place,
						remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
