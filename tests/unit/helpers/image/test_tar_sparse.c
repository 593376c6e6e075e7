/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of sparse files that say what cannot be. */
#include "support/test.h"

#include "base/scope.h"
#include "helpers/image/tar_read.h"

/* An archive in memory. */
struct text {
	const uint8_t *data;
	size_t len;
};

static int next(void *ctx, const uint8_t **ret_data, size_t *ret_len, struct aisbx_error *e)
{
	struct text *t = ctx;

	(void)e;
	*ret_data = t->data;
	*ret_len = t->len;
	t->len = 0;
	return *ret_len ? 1 : 0;
}

static void put(uint8_t *at, const char *offset, const char *len)
{
	memcpy(at, offset, strlen(offset));
	memcpy(at + 12, len, strlen(len));
}

static void old_header(void **state)
{
	uint8_t header[TAR_BLOCK] = { 0 }, more[2 * TAR_BLOCK] = { 0 };
	struct text t = { more, sizeof(more) };
	struct tar_reader r;
	struct aisbx_error e = AISBX_ERROR_INIT;
	uint64_t real = 0;

	(void)state;
	tar_reader_init(&r, (struct tar_source){ next, &t });
	memcpy(header + 483, "00000040000", 11);
	put(header + 386, "00000000000", "00000000010");
	header[482] = 1;
	put(more, "00000000020", "00000000010");
	more[504] = 1;
	put(more + TAR_BLOCK, "00000000040", "00000000004");
	assert_int_equal(tar_sparse_old(&r, header, &real, &e), 0);
	assert_int_equal(real, 040000);
	assert_int_equal(r.map.len, 3 * sizeof(struct tar_piece));
	assert_int_equal(tar_sparse_check(&r, real, 8 + 8 + 4, &e), 0);
	assert_failed(tar_sparse_check(&r, real, 8 + 8 + 5, &e), EBADMSG, e, "pieces of a sparse file");
	assert_failed(tar_sparse_check(&r, 33, 20, &e), EBADMSG, e, "pieces of a sparse file");
	tar_reader_finish(&r);
}

/* A header with one thing wrong; MORE: what follows it. */
static void refuse_old(size_t at, const char *value, const char *more, size_t len, const char *word)
{
	uint8_t header[TAR_BLOCK] = { 0 };
	struct text t = { (const uint8_t *)more, len };
	struct tar_reader r;
	struct aisbx_error e = AISBX_ERROR_INIT;
	uint64_t real = 0;

	tar_reader_init(&r, (struct tar_source){ next, &t });
	memcpy(header + 483, "00000040000", 11);
	put(header + 386, "00000000000", "00000000010");
	memcpy(header + at, value, strlen(value));
	assert_failed(tar_sparse_old(&r, header, &real, &e), EBADMSG, e, word);
	tar_reader_finish(&r);
}

static void wrong_old_header(void **state)
{
	char endless[TAR_BLOCK] = { 0 }, bad[TAR_BLOCK] = "x";

	(void)state;
	endless[504] = 1;
	refuse_old(483, "9", "", 0, "the size of a sparse file is wrong");
	refuse_old(483, "\377\377\377\377\377\377\377\377\377\377\377\377", "", 0,
		   "the size of a sparse file");
	refuse_old(386, "x", "", 0, "a wrong number");
	refuse_old(398, "\377\377\377\377\377\377\377\377\377\377\377\377", "", 0, "a wrong number");
	refuse_old(482, "\1", "", 0, "ends");
	refuse_old(482, "\1", endless, sizeof(endless), "empty list of pieces");
	refuse_old(482, "\1", bad, sizeof(bad), "a wrong number");
}

static int read_map(const char *map, uint64_t left, size_t *ret_n, struct aisbx_error *e)
{
	uint8_t block[TAR_BLOCK] = { 0 };
	struct text t = { block, sizeof(block) };
	struct tar_reader r;
	int n;

	memcpy(block, map, strlen(map));
	tar_reader_init(&r, (struct tar_source){ next, &t });
	r.left = left;
	r.pax.sparse_major = 1;
	r.pax.sparse_minor = 0;
	n = tar_sparse_pax(&r, e);
	*ret_n = r.map.len / sizeof(struct tar_piece);
	tar_reader_finish(&r);
	return n;
}

static void map_in_content(void **state)
{
	static const struct {
		const char *map;
		uint64_t left;
		const char *word; /* NULL: it is good */
	} cases[] = {
		{ "2\n0\n512\n1024\n1\n", 2048, NULL },
		{ "0\n", 512, NULL },
		{ "1\n0\n1\n", 511, "is cut off" },
		{ "1\n0\n", 512, "is wrong" }, /* the rest is filled with zeros */
		{ "x\n", 512, "is wrong" },
		{ "\n", 512, "is wrong" },
		{ "-1\n", 512, "is wrong" },
		{ "10000000000000000000\n", 512, "is wrong" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		size_t n = 0;
		int r = read_map(cases[i].map, cases[i].left, &n, &e);

		if (cases[i].word)
			assert_failed(r, EBADMSG, e, cases[i].word);
		else
			assert_int_equal(r, 0);
		assert_int_equal(n, i == 0 ? 2 : 0);
	}
}

static void unknown_format(void **state)
{
	static const int formats[][2] = { { 2, 0 }, { 1, 1 }, { 0, 2 } };

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct text t = { NULL, 0 };
		struct tar_reader r;
		struct aisbx_error e = AISBX_ERROR_INIT;

		tar_reader_init(&r, (struct tar_source){ next, &t });
		r.pax.sparse_major = formats[i][0];
		r.pax.sparse_minor = formats[i][1];
		assert_failed(tar_sparse_pax(&r, &e), EOPNOTSUPP, e, "unknown format");
		tar_reader_finish(&r);
	}
}

static void pieces_that_overlap(void **state)
{
	static const struct tar_piece wrong[][2] = {
		{ { 0, 10 }, { 9, 1 } },  { { 10, 1 }, { 0, 1 } },         { { 0, 1 }, { 101, 0 } },
		{ { 0, 1 }, { 1, 100 } }, { { 1, UINT64_MAX }, { 2, 1 } },
	};
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct text t = { NULL, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct tar_reader r;

		tar_reader_init(&r, (struct tar_source){ next, &t });
		buf_add(&r.map, wrong[i], sizeof(wrong[i]));
		assert_failed(tar_sparse_check(&r, 100, wrong[i][0].len + wrong[i][1].len, &e), EBADMSG, e,
			      "pieces of a sparse file are wrong");
		tar_reader_finish(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_header),          cmocka_unit_test(wrong_old_header),
		cmocka_unit_test(map_in_content),      cmocka_unit_test(unknown_format),
		cmocka_unit_test(pieces_that_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
