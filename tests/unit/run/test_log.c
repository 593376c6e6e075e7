/* SPDX-License-Identifier: Apache-2.0 */
/* The log of a detached run: what is written comes back, also while it is written, torn, or no log at all. */
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "run/log.h"

static char dir_path[] = "/tmp/aisbx-test-log.XXXXXX";
static int dir = -1;

static int enter(void **state)
{
	(void)state;
	if (dir < 0) {
		assert_non_null(mkdtemp(dir_path));
		dir = open(dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	unlinkat(dir, "log", 0);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	unlinkat(dir, "log", 0);
	close(dir);
	return rmdir(dir_path);
}

static struct runlog create(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct runlog l;

	assert_int_equal(runlog_create(dir, "log", &l, &e), 0);
	return l;
}

static struct runlog_reader open_reader(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct runlog_reader r;

	assert_int_equal(runlog_open(dir, "log", &r, &e), 0);
	return r;
}

/* All there is now of both streams, as "1:text2:text". */
static char *read_all(struct runlog_reader *r, int *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct runlog_piece p;
	struct buf all = { 0 };

	while ((*ret = runlog_next(r, &p, &e)) > 0) {
		buf_addf(&all, "%d:", (int)p.stream);
		buf_add(&all, p.data, p.len);
	}
	return buf_str(&all);
}

static void put_bytes(const void *data, size_t len)
{
	int fd = openat(dir, "log", O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

static void what_is_written_comes_back(void **state)
{
	struct runlog l = create();
	struct runlog_reader r = open_reader();
	struct stat st;
	char *got;
	int more;

	(void)state;
	assert_int_equal(fstat(l.fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	got = read_all(&r, &more);
	assert_string_equal(got, "");
	free(got);
	assert_true(runlog_add(&l, RUNLOG_STDOUT, "one", 3));
	assert_true(runlog_add(&l, RUNLOG_STDERR, "two", 3));
	got = read_all(&r, &more);
	assert_string_equal(got, "1:one2:two");
	assert_false(r.ended);
	free(got);
	assert_true(runlog_add(&l, RUNLOG_STDOUT, "three", 5));
	runlog_close(&l);
	got = read_all(&r, &more);
	assert_string_equal(got, "1:three");
	assert_true(r.ended);
	assert_int_equal(more, 0);
	free(got);
	runlog_finish(&r);
}

/* A record that is just being written: its head, and its bytes, one by one. */
static void a_record_may_come_in_parts(void **state)
{
	const struct runlog_head head = { .time_us = 5, .stream = RUNLOG_STDERR, .len = 4 };
	struct runlog_reader r;
	char bytes[sizeof(head) + 4];
	size_t seen = 0;

	(void)state;
	memcpy(bytes, &head, sizeof(head));
	for (size_t i = 0; i < 4; i++)
		bytes[sizeof(head) + i] = "text"[i];
	put_bytes("", 0);
	r = open_reader();
	for (size_t i = 0; i < sizeof(bytes); i++) {
		char *got;
		int more;

		put_bytes(bytes + i, 1);
		got = read_all(&r, &more);
		assert_int_equal(more, 0);
		if (i >= sizeof(head)) {
			assert_int_equal(strlen(got), 3);
			assert_int_equal(got[2], "text"[seen++]);
		} else {
			assert_string_equal(got, "");
		}
		free(got);
	}
	assert_int_equal(seen, 4);
	runlog_finish(&r);
}

/* As while a record is written: its bytes are there, its head is not. */
static void a_record_without_its_head_is_not_there(void **state)
{
	const struct runlog_head head = { .time_us = 5, .stream = RUNLOG_STDOUT, .len = 4 };
	const int out[2] = { -1, -1 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	static const char zeros[sizeof(head)];
	struct runlog_reader r;
	char *got;
	int more, fd;

	(void)state;
	put_bytes(zeros, sizeof(zeros));
	put_bytes("text", 4);
	r = open_reader();
	got = read_all(&r, &more);
	assert_string_equal(got, "");
	free(got);
	assert_int_equal(runlog_pass(&r, out, &e), 0);
	fd = openat(dir, "log", O_WRONLY);
	assert_int_equal(pwrite(fd, &head, sizeof(head), 0), sizeof(head));
	close(fd);
	got = read_all(&r, &more);
	assert_string_equal(got, "1:text");
	assert_false(r.ended);
	free(got);
	runlog_finish(&r);
}

static void what_is_no_log_is_told(void **state)
{
	const struct runlog_head strange = { .time_us = 1, .stream = 3, .len = 1 };
	const int out[2] = { STDOUT_FILENO, STDERR_FILENO };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct runlog_piece p;
	struct runlog_reader r;

	(void)state;
	put_bytes(&strange, sizeof(strange));
	r = open_reader();
	assert_int_equal(runlog_next(&r, &p, &e), -EBADMSG);
	runlog_finish(&r);
	r = open_reader();
	assert_int_equal(runlog_pass(&r, out, &e), -EBADMSG);
	runlog_finish(&r);
	unlinkat(dir, "log", 0);
	assert_int_equal(runlog_open(dir, "log", &r, &e), -ENOENT);
	assert_int_equal(symlinkat("/etc/passwd", dir, "log"), 0);
	assert_int_equal(runlog_open(dir, "log", &r, &e), -ELOOP);
	assert_int_equal(runlog_create(dir, "log", &(struct runlog){ 0 }, &e), -EEXIST);
}

/* From a pipe without reading, and to a pipe or a file: the same bytes. */
static void bytes_pass_without_being_looked_at(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct runlog l = create();
	struct runlog_reader r;
	int in[2], out[2], file;
	size_t moved;
	char got[64];

	(void)state;
	assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(write(in[1], "hello, world", 12), 12);
	assert_int_equal(runlog_move(&l, RUNLOG_STDOUT, in[0], 5, &moved), 0);
	assert_int_equal(runlog_move(&l, RUNLOG_STDERR, in[0], 7, &moved), 0);
	assert_int_equal(moved, 7);
	runlog_close(&l);
	file = openat(dir, "file", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	r = open_reader();
	assert_int_equal(runlog_pass(&r, (const int[]){ out[1], file }, &e), 0);
	assert_true(r.ended);
	assert_int_equal(read(out[0], got, sizeof(got)), 5);
	assert_memory_equal(got, "hello", 5);
	assert_int_equal(pread(file, got, sizeof(got), 0), 7);
	assert_memory_equal(got, ", world", 7);
	runlog_finish(&r);
	unlinkat(dir, "file", 0);
	for (int i = 0; i < 2; i++) {
		close(in[i]);
		close(out[i]);
	}
	close(file);
}

/* A record that does not fit leaves no trace, and a smaller one behind it is whole. */
static void a_full_disk_tears_no_record(void **state)
{
	const struct rlimit small = { 4096, RLIM_INFINITY };
	struct runlog l = create();
	struct runlog_reader r;
	struct rlimit before;
	char big[8192], *got;
	struct stat st;
	int in[2], more;
	size_t moved;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	memset(big, 'x', sizeof(big));
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(write(in[1], big, sizeof(big)), sizeof(big));
	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &small);
	assert_true(runlog_add(&l, RUNLOG_STDOUT, "a", 1));
	assert_false(runlog_add(&l, RUNLOG_STDOUT, big, sizeof(big)));
	assert_int_not_equal(l.error, 0);
	assert_int_equal(fstat(l.fd, &st), 0);
	assert_int_equal(st.st_size, l.size);
	assert_true(runlog_move(&l, RUNLOG_STDOUT, in[0], sizeof(big), &moved) < 0);
	assert_int_equal(fstat(l.fd, &st), 0);
	assert_int_equal(st.st_size, l.size);
	assert_true(runlog_add(&l, RUNLOG_STDOUT, "b", 1));
	setrlimit(RLIMIT_FSIZE, &before);
	runlog_close(&l);
	r = open_reader();
	got = read_all(&r, &more);
	assert_string_equal(got, "1:a1:b");
	assert_true(r.ended);
	free(got);
	runlog_finish(&r);
	close(in[0]);
	close(in[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_is_written_comes_back, enter),
		cmocka_unit_test_setup(a_record_may_come_in_parts, enter),
		cmocka_unit_test_setup(a_record_without_its_head_is_not_there, enter),
		cmocka_unit_test_setup(what_is_no_log_is_told, enter),
		cmocka_unit_test_setup(bytes_pass_without_being_looked_at, enter),
		cmocka_unit_test_setup(a_full_disk_tears_no_record, enter),
	};

	return cmocka_run_group_tests(tests, NULL, leave);
}
