/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of blobs: nothing is ever there under a name that is not its content's. */
#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/image/blobs.h"

#define HELLO "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

static char top[] = "/tmp/aisbx-blobs-XXXXXX";
static char dir[64];

static size_t entries(int fd)
{
	DIR *d = fdopendir(openat(fd, ".", O_RDONLY | O_DIRECTORY));
	size_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static int open_blobs(struct blobs *b, uint64_t max_bytes)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s/blobs %s/tmp", top, top);
	assert_int_equal(system(command), 0);
	*b = (struct blobs)BLOBS_INIT;
	return blobs_open(dir, max_bytes, b, &e);
}

static void test_write_and_read(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct blob_writer w = BLOB_WRITER_INIT;
	struct buf text = { 0 };
	struct stat st;
	char digest[DIGEST_CAP];
	uint64_t size = 0;
	struct blobs b;

	(void)state;
	assert_int_equal(open_blobs(&b, 0), 0);
	assert_int_equal(blob_begin(&b, HELLO, 5, false, &w, &e), 0);
	assert_int_equal(blob_write(&w, "he", 2, &e), 0);
	assert_int_equal(blob_write(&w, "llo", 3, &e), 0);
	assert_false(blobs_has(&b, HELLO, NULL)); /* not before its end */
	assert_int_equal(entries(b.tmp), 1);
	assert_int_equal(blob_end(&w, digest, &e), 0);
	assert_string_equal(digest, HELLO);
	assert_true(blobs_has(&b, HELLO, &size) && size == 5);
	assert_int_equal(entries(b.tmp), 0);
	assert_int_equal(fstatat(b.dir, digest_hex(HELLO), &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0444);
	assert_int_equal(blobs_read(&b, HELLO, &text, &e), 0);
	assert_string_equal(buf_str(&text), "hello");
	assert_int_equal(blobs_add(&b, "hello", 5, digest, &e), 0);
	assert_int_equal(entries(b.dir), 1);
	assert_true(blobs_is_good(&b, HELLO, 5) && !blobs_is_good(&b, HELLO, 6));
	buf_finish(&text);
	blobs_close(&b);
}

/* attack 58, and 65 */
static void test_lies(void **state)
{
	static const struct {
		const char *content;
		uint64_t size;
		const char *word;
	} rows[] = { { "hullo", 5, "other content" },
		     { "hell", 5, "4 bytes" },
		     { "", 5, "0 bytes" },
		     { "hello", 4, "more than the 4" },
		     { "hello world", UINT64_MAX, "other content" } };
	struct blobs b;

	(void)state;
	assert_int_equal(open_blobs(&b, 0), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct blob_writer w = BLOB_WRITER_INIT;
		int r = blob_begin(&b, HELLO, rows[i].size, true, &w, &e);

		assert_int_equal(r, 0);
		r = blob_write(&w, rows[i].content, strlen(rows[i].content), &e);
		if (r == 0)
			r = blob_end(&w, NULL, &e);
		assert_failed(r, EBADMSG, e, rows[i].word);
		blob_drop(&w);
		assert_int_equal(entries(b.dir), 0);
		assert_int_equal(entries(b.tmp), 0);
	}
	blobs_close(&b);
}

static void test_limit(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct blob_writer w = BLOB_WRITER_INIT;
	char digest[DIGEST_CAP];
	struct blobs b;

	(void)state;
	assert_int_equal(open_blobs(&b, 8), 0);
	assert_int_equal(blobs_add(&b, "hello", 5, digest, &e), 0);
	assert_failed(blobs_add(&b, "worl", 4, digest, &e), EFBIG, e, "8 bytes"); /* all together */
	assert_int_equal(blob_begin(&b, NULL, UINT64_MAX, false, &w, &e), 0);
	assert_int_equal(blob_write(&w, "abc", 3, &e), 0);
	assert_failed(blob_write(&w, "d", 1, &e), EFBIG, e, "8 bytes");
	blob_drop(&w);
	assert_int_equal(entries(b.tmp), 0);
	blobs_close(&b);
}

static void test_resume(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct blob_writer w = BLOB_WRITER_INIT, other = BLOB_WRITER_INIT;
	struct blobs b;

	(void)state;
	assert_int_equal(open_blobs(&b, 0), 0);
	assert_int_equal(blob_begin(&b, HELLO, 5, true, &w, &e), 0);
	assert_int_equal(blob_write(&w, "hel", 3, &e), 0);
	blob_abort(&w, true);
	assert_int_equal(entries(b.tmp), 1);
	assert_int_equal(blob_begin(&b, HELLO, 5, true, &w, &e), 0);
	assert_int_equal(w.size, 3);
	/* Another one at the same time has its own file, from the start. */
	assert_int_equal(blob_begin(&b, HELLO, 5, true, &other, &e), 0);
	assert_int_equal(other.size, 0);
	assert_int_equal(blob_write(&w, "lo", 2, &e), 0);
	assert_int_equal(blob_end(&w, NULL, &e), 0);
	assert_int_equal(blob_write(&other, "hello", 5, &e), 0);
	assert_true(blobs_is_good(&b, HELLO, 5));
	assert_int_equal(blob_end(&other, NULL, &e), 0);
	assert_true(blobs_is_good(&b, HELLO, 5));
	assert_int_equal(entries(b.tmp), 0);

	/* What was left is not what it should be: the end tells, and it goes. */
	assert_int_equal(unlinkat(b.dir, digest_hex(HELLO), 0), 0);
	assert_int_equal(blob_begin(&b, HELLO, 5, true, &w, &e), 0);
	assert_int_equal(blob_write(&w, "hal", 3, &e), 0);
	blob_abort(&w, true);
	assert_int_equal(blob_begin(&b, HELLO, 5, true, &w, &e), 0);
	assert_int_equal(blob_write(&w, "lo", 2, &e), 0);
	assert_failed(blob_end(&w, NULL, &e), EBADMSG, e, "other content");
	assert_int_equal(entries(b.tmp), 0);

	/* Or from the start again, as a server may want it. */
	assert_int_equal(blob_begin(&b, HELLO, 5, true, &w, &e), 0);
	assert_int_equal(blob_write(&w, "xxx", 3, &e), 0);
	assert_int_equal(blob_restart(&w, &e), 0);
	assert_int_equal(blob_write(&w, "hello", 5, &e), 0);
	assert_int_equal(blob_end(&w, NULL, &e), 0);
	blobs_close(&b);
}

/* More than it can be was left: it begins anew. */
static void test_resume_of_too_much(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct blob_writer w = BLOB_WRITER_INIT;
	struct blobs b;

	(void)state;
	assert_int_equal(open_blobs(&b, 0), 0);
	assert_int_equal(blob_begin(&b, HELLO, UINT64_MAX, true, &w, &e), 0);
	assert_int_equal(blob_write(&w, "hello world", 11, &e), 0);
	blob_abort(&w, true);
	assert_int_equal(blob_begin(&b, HELLO, 5, true, &w, &e), 0);
	assert_int_equal(w.size, 0);
	blob_drop(&w);
	blobs_close(&b);
}

/* A writer waits for nobody, and a sweep that holds the lock takes the file away: never one that is used. */
static void test_lock(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct blob_writer w = BLOB_WRITER_INIT;
	struct blobs b;
	int fd;

	(void)state;
	assert_int_equal(open_blobs(&b, 0), 0);
	assert_int_equal(blob_begin(&b, HELLO, 5, true, &w, &e), 0);
	fd = openat(b.tmp, w.name, O_RDONLY);
	assert_true(flock(fd, LOCK_EX | LOCK_NB) < 0);
	blob_abort(&w, true);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	close(fd);
	blobs_close(&b);
}

static void test_changed_on_disk(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct buf text = { 0 };
	char digest[DIGEST_CAP];
	struct blobs b;
	int fd;

	(void)state;
	assert_int_equal(open_blobs(&b, 0), 0);
	assert_int_equal(blobs_add(&b, "hello", 5, digest, &e), 0);
	unlinkat(b.dir, digest_hex(HELLO), 0);
	fd = openat(b.dir, digest_hex(HELLO), O_CREAT | O_WRONLY, 0600);
	assert_int_equal(write(fd, "hullo", 5), 5);
	close(fd);
	assert_failed(blobs_read(&b, HELLO, &text, &e), EBADMSG, e, "other content");
	assert_failed(blobs_open_blob(&b, HELLO, 5, true, &fd, NULL, &e), EBADMSG, e, "other content");
	assert_failed(blobs_open_blob(&b, HELLO, 6, false, &fd, NULL, &e), EBADMSG, e, "5 bytes");
	assert_int_equal(blobs_add(&b, "hello", 5, digest, &e), 0); /* repairs it */
	assert_true(blobs_is_good(&b, HELLO, 5));
	/* Nor is a link followed. */
	unlinkat(b.dir, digest_hex(HELLO), 0);
	assert_int_equal(symlinkat("/etc/hostname", b.dir, digest_hex(HELLO)), 0);
	assert_false(blobs_has(&b, HELLO, NULL));
	assert_int_equal(blobs_open_blob(&b, HELLO, UINT64_MAX, false, &fd, NULL, &e), -ELOOP);
	assert_failed(blobs_open_blob(&b, "sha256:../../x", 1, false, &fd, NULL, &e), EINVAL, e, "digest");
	unlinkat(b.dir, digest_hex(HELLO), 0);
	assert_failed(blobs_open_blob(&b, HELLO, 1, false, &fd, NULL, &e), ENOENT, e, "missing");
	blobs_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write_and_read),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_resume),
		cmocka_unit_test(test_resume_of_too_much),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_changed_on_disk),
	};
	char command[64];
	int r;

	if (!mkdtemp(top))
		return 1;
	snprintf(dir, sizeof(dir), "%s/blobs", top);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command) || r;
}
