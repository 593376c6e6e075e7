/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a file that only grows: what was written is read, and of what is torn or strange
 * nothing wrong. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "layer/record.h"

struct fixed {
	uint64_t number;
	char letters[5];
};

static const char *const texts[] = { "a", "", "some/longer/path with spaces", "\xff\xfe", "\n", "last" };

#define COUNT (sizeof(texts) / sizeof(*texts))

static struct fixed fixed_of(size_t i)
{
	struct fixed f;

	memset(&f, 0, sizeof(f)); /* its padding is written, too */
	f.number = 0x0101010101010101ULL * i;
	memcpy(f.letters, "fixed", 5);
	return f;
}

static struct buf sample(void)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT; i++) {
		struct fixed f = fixed_of(i);

		record_add(&b, &f, sizeof(f), texts[i]);
	}
	assert_false(b.failed);
	return b;
}

/* A copy of the very size, so that a sanitizer sees one byte too many. */
static struct buf cut(const struct buf *b, size_t len)
{
	struct buf part = { .data = malloc(len ? len : 1), .len = len, .cap = len };

	assert_non_null(part.data);
	memcpy(part.data, b->data, len);
	return part;
}

/* How many records there are from the beginning, each of which must be the one that was written. */
static size_t count_right(const struct buf *b, size_t *ret_at)
{
	size_t at = 0, n = 0;
	const char *text;
	struct fixed f;

	while ((text = record_next(b, &at, &f, sizeof(f)))) {
		struct fixed want = fixed_of(n);

		assert_true(n < COUNT);
		assert_memory_equal(&f, &want, sizeof(f));
		assert_string_equal(text, texts[n]);
		n++;
	}
	*ret_at = at;
	return n;
}

static void test_round_trip(void **state)
{
	scoped(buf_finish) struct buf b = sample();
	size_t at;

	(void)state;
	assert_int_equal(count_right(&b, &at), COUNT);
	assert_int_equal(at, b.len);
	assert_int_equal(record_end(&b), b.len);
}

static void test_nothing(void **state)
{
	struct buf b = { 0 };
	struct fixed f;
	size_t at = 0;

	(void)state;
	assert_null(record_next(&b, &at, &f, sizeof(f)));
	assert_int_equal(at, 0);
	assert_int_equal(record_end(&b), 0);
}

static void test_fixed_part_of_nothing(void **state)
{
	scoped(buf_finish) struct buf b = { 0 };
	char none;
	size_t at = 0;

	(void)state;
	record_add(&b, "", 0, "only text");
	record_add(&b, "", 0, "");
	assert_string_equal(record_next(&b, &at, &none, 0), "only text");
	assert_string_equal(record_next(&b, &at, &none, 0), "");
	assert_null(record_next(&b, &at, &none, 0));
	assert_int_equal(at, b.len);
}

/* Cut off at every byte: all before the tear is read, nothing else. */
static void test_torn_at_every_byte(void **state)
{
	scoped(buf_finish) struct buf b = sample();
	size_t ends[COUNT + 1] = { 0 }, at = 0, whole = 0;
	struct fixed f;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		assert_non_null(record_next(&b, &at, &f, sizeof(f)));
		ends[i + 1] = at;
	}
	for (size_t len = 0; len <= b.len; len++) {
		scoped(buf_finish) struct buf part = cut(&b, len);

		if (whole < COUNT && ends[whole + 1] == len)
			whole++;
		assert_int_equal(count_right(&part, &at), whole);
		assert_int_equal(at, ends[whole]);
		assert_int_equal(record_end(&part), ends[whole]);
	}
}

/* As after a crash whose blocks never reached the disk: the length is right, and the end is zeros. */
static void test_zeros_from_every_byte(void **state)
{
	scoped(buf_finish) struct buf b = sample();

	(void)state;
	for (size_t from = 0; from < b.len; from++) {
		scoped(buf_finish) struct buf part = cut(&b, b.len);
		size_t at;

		memset(part.data + from, 0, part.len - from);
		count_right(&part, &at); /* asserts that each is right */
		/* What was not touched is read. The last byte is a NUL anyway. */
		assert_true(from == b.len - 1 ? at == b.len : at < b.len);
	}
}

/* One byte of all is another one: what comes before is read, and the record it is in is not. */
static void test_every_byte_wrong(void **state)
{
	scoped(buf_finish) struct buf b = sample();

	(void)state;
	for (size_t wrong = 0; wrong < b.len; wrong++)
		for (int bit = 0; bit < 8; bit++) {
			scoped(buf_finish) struct buf part = cut(&b, b.len);
			size_t at;

			part.data[wrong] = (char)(part.data[wrong] ^ (1 << bit));
			count_right(&part, &at);
			assert_true(at <= wrong);
			assert_true(record_end(&part) <= wrong);
		}
}

static void test_reader_with_another_size(void **state)
{
	scoped(buf_finish) struct buf b = { 0 };
	char room[256];
	size_t at = 0;

	(void)state;
	record_add(&b, "12345678", 8, "text");
	/* Larger than all there is, or than leaves room for the end of the text. */
	assert_null(record_next(&b, &at, room, 256));
	assert_null(record_next(&b, &at, room, 13));
	assert_null(record_next(&b, &at, room, 14));
	assert_int_equal(at, 0);
	/* A record whose text would begin with a part of the fixed one is still in bounds. */
	assert_string_equal(record_next(&b, &at, room, 12), "");
	at = 0;
	assert_string_equal(record_next(&b, &at, room, 8), "text");
	assert_int_equal(record_end(&b), b.len); /* which knows no size */
}

/* Fixed bytes with a NUL are no text: a reader that thinks they are gets nothing. */
static void test_text_with_a_nul_inside(void **state)
{
	scoped(buf_finish) struct buf b = { 0 };
	char room[8];
	size_t at = 0;

	(void)state;
	record_add(&b, "ab\0cdefg", 8, "text");
	assert_null(record_next(&b, &at, room, 1));
	assert_string_equal(record_next(&b, &at, room, 8), "text");
}

static void test_lengths_that_lie(void **state)
{
	static const uint32_t lengths[] = { 0,          1,          7,          8,          0x7fffffff,
					    0x80000000, 0xfffffff0, 0xfffffff7, 0xfffffff8, 0xffffffff };

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		for (size_t len = 0; len < 40; len++) {
			scoped(buf_finish) struct buf b = { .data = calloc(1, len ? len : 1),
							    .len = len,
							    .cap = len };
			char room[64];
			size_t at = 0;

			assert_non_null(b.data);
			memcpy(b.data, &lengths[i], len < 4 ? len : 4);
			assert_null(record_next(&b, &at, room, 8));
			assert_int_equal(at, 0);
			assert_true(record_end(&b) <= len);
		}
}

/* A memory that failed must not be taken for records. */
static void test_failed_buffer(void **state)
{
	struct buf b = { .failed = true };

	(void)state;
	record_add(&b, "x", 1, "y");
	assert_int_equal(b.len, 0);
	assert_int_equal(record_write(AT_FDCWD, "/nowhere/at/all", &b, false), -ENOMEM);
}

static void test_files(void **state)
{
	scoped(buf_finish) struct buf b = sample();
	scoped(buf_finish) struct buf half = cut(&b, b.len / 2);
	scoped(buf_finish) struct buf got = { 0 };
	scoped(buf_finish) struct buf none = { 0 };
	char dir[] = "/var/tmp/test-record-XXXXXX";
	scoped(drop_fd) int at = -1;
	struct stat st;
	size_t end;

	(void)state;
	assert_non_null(mkdtemp(dir));
	at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(record_read(at, "f", &none), -ENOENT);
	assert_int_equal(record_write(at, "f", &half, true), 0);
	/* What is appended where the last whole record ends can be read. */
	end = record_end(&half);
	assert_true(end > 0 && end < half.len);
	{
		scoped(drop_fd) int fd = openat(at, "f", O_WRONLY | O_CLOEXEC);
		struct buf rest = { .data = b.data + end, .len = b.len - end };

		assert_int_equal(ftruncate(fd, (off_t)end), 0);
		assert_int_equal(record_write(at, "f", &rest, false), 0);
	}
	assert_int_equal(record_read(at, "f", &got), 0);
	assert_int_equal(count_right(&got, &end), COUNT);
	assert_int_equal(fstatat(at, "f", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	/* Not over a link, and a directory is no file. */
	assert_int_equal(symlinkat("f", at, "l"), 0);
	assert_int_equal(record_read(at, "l", &none), -ELOOP);
	assert_int_equal(record_write(at, "l", &b, false), -ELOOP);
	assert_int_equal(record_read(at, ".", &none), -EISDIR);
	assert_int_equal(none.len, 0);
	unlinkat(at, "l", 0);
	unlinkat(at, "f", 0);
	assert_int_equal(rmdir(dir), 0);
}

/* How many records of the file are read by pieces, each of which must be the one that was written. */
static size_t count_by_pieces(int dir, const char *name, size_t most, bool *ret_whole)
{
	scoped(record_close) struct record_reader r = RECORD_READER_INIT;
	struct fixed f, want;
	const char *text;
	size_t n = 0;
	char path[64];

	assert_int_equal(record_open(dir, name, &r), 0);
	while ((text = record_step(&r, &f, sizeof(f)))) {
		want = fixed_of(n);
		snprintf(path, sizeof(path), "path %zu", n);
		assert_memory_equal(&f, &want, sizeof(f));
		assert_string_equal(text, path);
		assert_true(++n <= most);
	}
	*ret_whole = record_is_whole(&r);
	return n;
}

/* More than one piece, whole and torn, and taken into another file. */
static void test_by_pieces(void **state)
{
	char dir[] = "/tmp/test-record-XXXXXX";
	scoped(drop_fd) int at = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	scoped(drop_fd) int to = -1;
	scoped(buf_finish) struct buf b = { 0 };
	struct record_reader none;
	char path[64];
	bool whole;

	(void)state;
	assert_true(at >= 0 && mkdirat(at, "to", 0700) == 0);
	to = openat(at, "to", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(record_open(at, "none", &none), -ENOENT);
	assert_int_equal(record_take(at, to, "none"), -ENOENT);
	for (size_t i = 0; i < 10000; i++) {
		struct fixed f = fixed_of(i);

		snprintf(path, sizeof(path), "path %zu", i);
		record_add(&b, &f, sizeof(f), path);
	}
	assert_int_equal(record_write(at, "all", &b, false), 0);
	assert_int_equal(count_by_pieces(at, "all", 10000, &whole), 10000);
	assert_true(whole);
	assert_int_equal(record_take(at, to, "all"), 0);
	assert_int_equal(count_by_pieces(to, "all", 10000, &whole), 10000);
	assert_true(whole && unlinkat(to, "all", 0) == 0);
	b.len -= 3;
	assert_int_equal(record_write(at, "torn", &b, false), 0);
	assert_int_equal(count_by_pieces(at, "torn", 9999, &whole), 9999);
	assert_false(whole);
	assert_int_equal(record_take(at, to, "torn"), 0);
	assert_int_equal(count_by_pieces(to, "torn", 9999, &whole), 9999);
	assert_true(whole && unlinkat(to, "torn", 0) == 0);
	b.data[b.len / 2] ^= 1;
	assert_int_equal(record_write(at, "wrong", &b, false), 0);
	assert_true(count_by_pieces(at, "wrong", 5300, &whole) > 4700 && !whole);
	assert_int_equal(unlinkat(at, "all", 0) | unlinkat(at, "torn", 0) | unlinkat(at, "wrong", 0) |
				 unlinkat(at, "to", AT_REMOVEDIR) | rmdir(dir),
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_fixed_part_of_nothing),
		cmocka_unit_test(test_torn_at_every_byte),
		cmocka_unit_test(test_zeros_from_every_byte),
		cmocka_unit_test(test_every_byte_wrong),
		cmocka_unit_test(test_reader_with_another_size),
		cmocka_unit_test(test_text_with_a_nul_inside),
		cmocka_unit_test(test_lengths_that_lie),
		cmocka_unit_test(test_failed_buffer),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_by_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
