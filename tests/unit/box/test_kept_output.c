/* SPDX-License-Identifier: Apache-2.0 */
/* The kept output of runs: beginning and end, room per project, files that are damaged. */
#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/kept_output.h"
#include "secret/fingerprints.h"

#define LARGE (64u << 20)

static char state_path[] = "/tmp/aisbx-test-kept.XXXXXX";

static int enter(void **state)
{
	(void)state;
	if (!mkdtemp(state_path))
		return -1;
	return setenv("XDG_STATE_HOME", state_path, 1);
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", state_path);
	return system(command);
}

static void add(struct kept_output *k, enum runlog_stream stream, uint64_t time_us, const char *text)
{
	kept_output_add(k, stream, time_us, text, strlen(text));
}

static void write_as(struct kept_output *k, const char *project, const char *run)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	assert_int_equal(kept_output_write(k, project, run, &e), 0);
	kept_output_finish(k);
	*k = (struct kept_output){ .room = k->room };
}

/* All records of one run; "1:text|2:text". */
static void read_as(const char *run, char *ret, size_t cap, uint64_t *ret_cut)
{
	struct runlog_reader reader;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct runlog_piece p;
	size_t n = 0;
	int fd = -1;

	assert_int_equal(kept_output_open(run, &fd, ret_cut, &e), 0);
	assert_int_equal(runlog_open_fd(fd, &reader, &e), 0);
	*ret = '\0';
	while (runlog_next(&reader, &p, &e) > 0)
		n += (size_t)snprintf(ret + n, cap - n, "%s%d:%.*s", n ? "|" : "", (int)p.stream, (int)p.len,
				      p.data);
	assert_true(reader.ended);
	runlog_finish(&reader);
}

static void there_and_back(void **state)
{
	struct kept_output k = { .room = LARGE };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char got[256];
	uint64_t cut;
	int fd;

	(void)state;
	add(&k, RUNLOG_STDOUT, 1000000, "a");
	add(&k, RUNLOG_STDOUT, 1000001, "b"); /* at once: one record */
	add(&k, RUNLOG_STDERR, 1000002, "c");
	add(&k, RUNLOG_STDERR, 2000002, "d");
	write_as(&k, "/p", "r-01");
	read_as("r-01", got, sizeof(got), &cut);
	assert_string_equal(got, "1:ab|2:c|2:d");
	assert_int_equal(cut, 0);
	assert_int_equal(kept_output_open("r-02", &fd, &cut, &e), -ENOENT);
	assert_int_equal(e.code, 0);
	write_as(&k, "/p", "r-02"); /* nothing was written: no file */
	assert_int_equal(kept_output_open("r-02", &fd, &cut, &e), -ENOENT);
	k.room = 0;
	add(&k, RUNLOG_STDOUT, 1, "x");
	write_as(&k, "/p", "r-02"); /* not wanted */
	assert_int_equal(kept_output_open("r-02", &fd, &cut, &e), -ENOENT);
}

/* Of the middle nothing is kept; what is kept and what is cut are all there was. */
static void the_middle_is_cut(void **state)
{
	struct kept_output k = { .room = LARGE };
	char chunk[60000], first[] = "the first line", last[] = "the last line";
	struct kept_text text = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct kept_lines lines = { 0 };
	struct kept_file *files = NULL;
	uint64_t all = strlen(first) + strlen(last), kept = 0;
	size_t n = 0;

	(void)state;
	memset(chunk, 'x', sizeof(chunk));
	add(&k, RUNLOG_STDOUT, 1, first);
	for (uint64_t i = 0; i < 400; i++, all += sizeof(chunk))
		kept_output_add(&k, i % 2 ? RUNLOG_STDERR : RUNLOG_STDOUT, 2 + i, chunk, sizeof(chunk));
	add(&k, RUNLOG_STDERR, 500, last);
	assert_true(k.tail.bytes.cap < 3 * KEPT_OUTPUT_RUN);
	write_as(&k, "/cut", "r-10");
	assert_int_equal(kept_output_list(&files, &n, &e), 0);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(files[i].run, "r-10"))
			assert_int_equal(kept_output_read(&files[i], &text, &e), 0);
	free(files);
	assert_true(text.len <= KEPT_OUTPUT_RUN + 128 && text.len > KEPT_OUTPUT_RUN * 9 / 10);
	for (size_t at = 0; at < text.len;) {
		struct runlog_head h;

		memcpy(&h, text.data + at, sizeof(h));
		kept += h.len;
		at += sizeof(h) + h.len;
	}
	assert_true(kept_text_search(&text, "bytes cut here", &lines));
	assert_int_equal(lines.n, 1);
	kept -= strlen(lines.items[0].text) + 2; /* the mark and its newlines */
	assert_int_equal(kept + text.cut, all);
	kept_lines_finish(&lines);
	assert_true(kept_text_search(&text, "first line", &lines) && lines.n == 1 &&
		    strlen(lines.items[0].text) <= 400);
	kept_lines_finish(&lines);
	assert_true(kept_text_search(&text, "last line", &lines) && lines.n == 1 && lines.items[0].is_stderr);
	kept_lines_finish(&lines);
	kept_text_finish(&text);
}

/* Lines that lie in several records, many lines, none. */
static void search(void **state)
{
	struct kept_output k = { .room = LARGE };
	struct kept_text text = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct kept_lines lines = { 0 };
	struct kept_file f = { .run = "r-20" };
	struct kept_file *files = NULL;
	size_t n = 0;

	(void)state;
	add(&k, RUNLOG_STDOUT, 1000000, "one nee");
	add(&k, RUNLOG_STDERR, 1000000, "between\n");
	add(&k, RUNLOG_STDOUT, 9000000, "dle here\r\ntwo\nneedle again");
	for (int i = 0; i < 30; i++)
		add(&k, RUNLOG_STDERR, 10000000, "needle needle\n");
	write_as(&k, NULL, "r-20");
	assert_int_equal(kept_output_list(&files, &n, &e), 0);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(files[i].run, "r-20"))
			f = files[i];
	free(files);
	assert_int_equal(kept_output_read(&f, &text, &e), 0);
	assert_true(kept_text_search(&text, "needle", &lines));
	assert_int_equal(lines.n, KEPT_LINES_MAX);
	assert_int_equal(lines.more, 32 - KEPT_LINES_MAX);
	assert_string_equal(lines.items[0].text, "one needle here");
	assert_string_equal(lines.items[1].text, "needle again");
	kept_lines_finish(&lines);
	assert_true(kept_text_search(&text, "nobody", &lines));
	assert_int_equal(lines.n, 0);
	kept_text_finish(&text);
}

static int open_project(const char *run)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct kept_file *files = NULL;
	size_t n = 0;
	int all = -1, fd = -1;

	assert_int_equal(kept_output_list(&files, &n, &e), 0);
	assert_int_equal(kept_output_dir(false, &all, &e), 0);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(files[i].run, run))
			fd = openat(all, files[i].project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(files);
	close(all);
	assert_true(fd >= 0);
	return fd;
}

/* The oldest go first; what is left is packed, keeps its age, and can be read. */
static void room(void **state)
{
	struct kept_output k = { .room = LARGE };
	struct stat st;
	char text[100001], got[1 << 20], run[24];
	uint64_t cut;
	int dir;

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = "abcdefg \n"[i * i % 9];
	text[sizeof(text) - 1] = '\0';
	for (unsigned int i = 0; i < 8; i++) {
		const struct timespec age[2] = { { .tv_sec = 1000 + i }, { .tv_sec = 1000 + i } };

		snprintf(run, sizeof(run), "r-3%u", i);
		add(&k, RUNLOG_STDOUT, 1, text);
		write_as(&k, "/room", run);
		dir = open_project(run);
		assert_int_equal(fstatat(dir, run, &st, 0), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		assert_int_equal(utimensat(dir, run, age, 0), 0);
		close(dir);
	}
	dir = open_project("r-37");
	assert_int_equal(kept_output_sweep(dir, UINT64_MAX), 0);
	for (unsigned int i = 0; i < 8; i++) {
		snprintf(run, sizeof(run), "r-3%u", i);
		assert_int_equal(fstatat(dir, run, &st, 0), 0);
		assert_true(st.st_size < 50000 && st.st_mtim.tv_sec == 1000 + i);
	}
	read_as("r-33", got, sizeof(got), &cut);
	assert_int_equal(strlen(got), 100000 + 2 + 6 * 3); /* in records of 16 KiB */
	assert_int_equal(kept_output_sweep(dir, 4 * (uint64_t)(st.st_size / 4096 + 1) * 4096), 0);
	assert_int_equal(fstatat(dir, "r-30", &st, 0), -1);
	assert_int_equal(fstatat(dir, "r-34", &st, 0), -1);
	assert_int_equal(fstatat(dir, "r-37", &st, 0), 0);
	assert_int_equal(mkdirat(dir, "r-38", 0700), 0); /* what cannot be removed is not waited for */
	assert_int_equal(kept_output_sweep(dir, 0), 0);
	assert_int_equal(fstatat(dir, "r-37", &st, 0), -1);
	assert_int_equal(unlinkat(dir, "r-38", AT_REMOVEDIR), 0);
	close(dir);
}

/* A secret of another box, in pieces, on both streams, with other output between; the rest stays. */
static void secrets_of_others(void **state)
{
	const struct run_secret secret = { .name = (char *)"TOK",
					   .value = (char *)"S3cr3t-Qx7v9Lm2Kp",
					   .len = 17 };
	struct kept_output k = { .room = LARGE };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char dir[256], got[256];
	uint64_t cut;

	(void)state;
	snprintf(dir, sizeof(dir), "%s/aisbx", state_path);
	assert_int_equal(fingerprints_record(dir, &secret, 1, &e), 0);
	add(&k, RUNLOG_STDOUT, 1000000, "a S3cr3t-Q");
	add(&k, RUNLOG_STDERR, 1000000, "(S3cr3t-Qx7v9Lm2Kp)");
	add(&k, RUNLOG_STDOUT, 2000000, "x7v9");
	add(&k, RUNLOG_STDOUT, 3000000, "Lm2Kp b S3cr3t-Qx7");
	write_as(&k, "/secrets", "r-50");
	read_as("r-50", got, sizeof(got), &cut);
	assert_string_equal(got, "1:a [secret TOK]|2:([secret TOK])|1: b S3cr3t-Qx7");
	assert_int_equal(system("rm -rf \"$XDG_STATE_HOME/aisbx/secrets\""), 0);
}

/* A file that is cut anywhere, or changed, is told, and never read as something else. */
static void damage(void **state)
{
	struct kept_output k = { .room = LARGE };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct kept_text text = { 0 };
	struct stat st;
	uint64_t cut;
	int dir, file, fd;

	(void)state;
	add(&k, RUNLOG_STDOUT, 1, "some text");
	add(&k, RUNLOG_STDERR, 2, "some more");
	write_as(&k, "/damage", "r-40");
	dir = open_project("r-40");
	assert_int_equal(fstatat(dir, "r-40", &st, 0), 0);
	file = openat(dir, "r-40", O_RDWR | O_CLOEXEC);
	for (off_t size = st.st_size - 1; size >= 0; size--) {
		assert_int_equal(ftruncate(file, size), 0);
		assert_int_equal(kept_output_load(dir, "r-40", &text, NULL), -EBADMSG);
	}
	assert_int_equal(kept_output_open("r-40", &fd, &cut, &e), -EBADMSG);
	close(file);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back), cmocka_unit_test(the_middle_is_cut),
		cmocka_unit_test(search),         cmocka_unit_test(room),
		cmocka_unit_test(damage),         cmocka_unit_test(secrets_of_others),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
