/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests as text: the last whole one counts, whatever was torn; columns come back as they were; nothing
 * else is believed. */
#include "support/test.h"

#include <unistd.h>

#include "store/manifest.h"

#define ONE                 \
	"\naisbx manifest " \
	"1\nat\t7\t6\nlayers\tid=l-1\tfrozen=0\nboxes\tid=b-1\tname=a\tproject=/x\\ty\\n\\\\=z\nend\n"
#define TWO "\naisbx manifest 1\nat\t9\t8\nlayers\tid=l-1\tfrozen=1\nend\n"

static char path[64];

static int make_file(void **state)
{
	(void)state;
	strcpy(path, "/tmp/test-manifest-XXXXXX");
	close(mkstemp(path));
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static int load(const char *text, size_t len, struct buf *ret, struct manifest_when *when)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	return manifest_load(path, ret, when, NULL);
}

static void columns_come_back(void **state)
{
	struct manifest_when when;
	struct manifest_row row;
	struct buf text = { 0 };
	size_t at = 0;

	(void)state;
	assert_int_equal(load(ONE, strlen(ONE), &text, &when), 0);
	assert_int_equal(when.at, 7);
	assert_int_equal(when.from, 6);
	assert_true(manifest_next(&text, &at, &row));
	assert_string_equal(row.table, "layers");
	assert_string_equal(manifest_value(&row, "frozen"), "0");
	assert_null(manifest_value(&row, "parent"));
	assert_true(manifest_next(&text, &at, &row));
	assert_string_equal(row.table, "boxes");
	assert_string_equal(manifest_value(&row, "project"), "/x\ty\n\\=z");
	assert_false(manifest_next(&text, &at, &row));
	buf_finish(&text);
}

/* However much of the second is there, one of both is read, whole. */
static void the_last_whole_one_counts(void **state)
{
	static const char both[] = ONE TWO;
	struct manifest_when when;

	(void)state;
	for (size_t n = strlen(ONE); n <= strlen(both); n++) {
		struct buf text = { 0 };

		assert_int_equal(load(both, n, &text, &when), 0);
		assert_int_equal(when.at, n == strlen(both) ? 9 : 7);
		buf_finish(&text);
	}
	for (size_t n = 1; n < strlen(ONE); n++) { /* torn, and then written again */
		struct buf text = { 0 };
		char torn[sizeof(both)];

		snprintf(torn, sizeof(torn), "%.*s" TWO, (int)n, ONE);
		assert_int_equal(load(torn, strlen(torn), &text, &when), 0);
		assert_int_equal(when.at, 9);
		buf_finish(&text);
	}
}

static void what_is_none(void **state)
{
	static const char *const none[] = { "",
					    "\n",
					    "end\n",
					    "\nend\n",
					    "aisbx manifest 1\nat\t1\nend\n",
					    "\naisbx manifest 2\nat\t1\nend\n",
					    "\naisbx manifest 1\nat\t-5\t1\nlayers\tid=x\nend\n" };
	struct manifest_when when;
	struct buf text = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_int_equal(load(none[i], strlen(none[i]), &text, &when), -EUCLEAN);
	assert_int_equal(load(ONE "\0x", strlen(ONE) + 2, &text, &when), -EUCLEAN);
	for (size_t n = 0; n < strlen(ONE); n++)
		assert_int_equal(load(ONE, n, &text, &when), -EUCLEAN);
	buf_finish(&text);
}

/* More columns than there is room for, fields without a value, names that come twice. */
static void strange_rows(void **state)
{
	struct manifest_when when;
	struct manifest_row row;
	struct buf many = { 0 }, text = { 0 };
	size_t at = 0;

	(void)state;
	buf_addf(&many, "\naisbx manifest 1\nat\t1\nlayers\tnothing\t=\tid=1\tid=2");
	for (int i = 0; i < 3 * MANIFEST_COLUMNS; i++)
		buf_addf(&many, "\tc%d=%d", i, i);
	buf_addf(&many, "\n\nend\n");
	assert_int_equal(load(buf_str(&many), many.len, &text, &when), 0);
	assert_true(manifest_next(&text, &at, &row));
	assert_int_equal(row.n, MANIFEST_COLUMNS);
	assert_string_equal(manifest_value(&row, "id"), "1");
	assert_true(manifest_next(&text, &at, &row)); /* an empty line is a row of no table */
	assert_string_equal(row.table, "");
	assert_false(manifest_next(&text, &at, &row));
	buf_finish(&many);
	buf_finish(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(columns_come_back, make_file, remove_file),
		cmocka_unit_test_setup_teardown(the_last_whole_one_counts, make_file, remove_file),
		cmocka_unit_test_setup_teardown(what_is_none, make_file, remove_file),
		cmocka_unit_test_setup_teardown(strange_rows, make_file, remove_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
