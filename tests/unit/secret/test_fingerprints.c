/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: a secret is known again in every spelling, and its value is in no file. */
#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/scope.h"
#include "secret/fingerprints.h"

static char dir[64];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/marks-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

/* How many files there are; none may hold TEXT, nor be for others to read. */
static int look_at_files(const char *text)
{
	scoped(drop_mem) char *place = path_join(dir, "secrets");
	DIR *d = opendir(place);
	struct dirent *entry;
	int n = 0;

	assert_non_null(d);
	while ((entry = readdir(d))) {
		char bytes[65536];
		int fd = openat(dirfd(d), entry->d_name, O_RDONLY);
		struct stat st;
		ssize_t len;

		if (entry->d_name[0] == '.') {
			close(fd);
			continue;
		}
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0600);
		len = read(fd, bytes, sizeof(bytes));
		assert_true(len > 0);
		assert_null(memmem(bytes, (size_t)len, text, 8));
		close(fd);
		n++;
	}
	closedir(d);
	return n;
}

static int drop_dir_again(void **state)
{
	scoped(drop_mem) char *command = NULL;

	(void)state;
	return asprintf(&command, "rm -r %s", dir) < 0 ? -1 : system(command);
}

static void record(const char *name, const char *value)
{
	struct run_secret s = { .name = (char *)name, .value = (char *)value, .len = strlen(value) };
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (fingerprints_record(dir, &s, 1, &e) != 0)
		fail_msg("%s", e.text);
}

static void becomes(struct fingerprint_scan *scan, bool patch, const char *text, const char *wanted)
{
	scoped(buf_finish) struct buf out = { 0 };

	assert_true(patch ? fingerprints_scrub_patch(scan, text, strlen(text), &out)
			  : fingerprints_scrub(scan, text, strlen(text), &out));
	assert_string_equal(buf_str(&out), wanted);
}

static void test_found_again(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(drop_fingerprints) struct fingerprints *m = NULL;
	scoped(drop_fingerprint_scan) struct fingerprint_scan *scan = NULL;

	(void)state;
	assert_int_equal(fingerprints_load(dir, &m, &e), 0);
	assert_null(m);
	record("KEY", "top secret/+\"1");
	record("KEY", "top secret/+\"1");
	record("EIGHT", "12345678");
	record("PEM", "-----BEGIN KEY-----\nMIIEvQIBADAN\nBgkqhkiG9w0B\n-----END KEY-----\n");
	assert_int_equal(look_at_files("top secret"), 2);
	look_at_files("12345678");
	look_at_files("MIIEvQIBADAN");
	assert_int_equal(fingerprints_load(dir, &m, &e), 0);
	assert_non_null(m);
	scan = fingerprint_scan_create(m);
	assert_non_null(scan);
	becomes(scan, false, "a top secret/+\"1 b 12345678", "a [secret KEY] b [secret EIGHT]");
	becomes(scan, false, "top secret/+\"", "top secret/+\"");
	becomes(scan, false, "<dG9wIHNlY3Jl\ndC8rIjE=>", "<[secret KEY]E=>");
	becomes(scan, false, "<746F70207365637265742f2b2231>", "<[secret KEY]>");
	becomes(scan, false, "<top+secret%2f%2B%221>", "<[secret KEY]>");
	becomes(scan, false, "{\"a\":\"top secret/+\\\"1\"}", "{\"a\":\"[secret KEY]\"}");
	becomes(scan, false, "1234567812345678", "[secret EIGHT][secret EIGHT]");
	becomes(scan, true, "@@ -0,0 +1,3 @@\n+MIIEvQIBADAN\n+BgkqhkiG9w0B\n context\n",
		"@@ -0,0 +1,3 @@\n+[secret PEM]\n+[secret PEM]\n context\n");
	becomes(scan, true, "+dG9wIHNlY3Jl\n+dC8rIjE=\n-x\n", "+[secret KEY]\n+[secret KEY]E=\n-x\n");
	becomes(scan, true, "", "");
}

static void test_derived_bytes_stay(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	uint8_t a[100], b[100], other[100];

	(void)state;
	assert_int_equal(fingerprints_derive(dir, "one", a, sizeof(a), &e), 0);
	assert_int_equal(fingerprints_derive(dir, "one", b, sizeof(b), &e), 0);
	assert_int_equal(fingerprints_derive(dir, "two", other, sizeof(other), &e), 0);
	assert_memory_equal(a, b, sizeof(a));
	for (size_t i = 0; i < 96; i += 16) /* no block of it repeats, and none is another's */
		for (size_t k = 0; k < 96; k += 16)
			assert_true((i == k || memcmp(a + i, a + k, 16)) && memcmp(a + i, other + k, 16));
}

static void test_others_can_not_be_read(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fingerprints *m = NULL;
	scoped(drop_mem) char *place = path_join(dir, "secrets/key");

	(void)state;
	assert_int_equal(truncate(place, 7), 0);
	assert_failed(fingerprints_load(dir, &m, &e), EBADMSG, e, "fingerprints of secrets");
	assert_null(m);
}

/* No text gives more symbols than there is room for, in the eyes of any lens. */
static void test_any_text(void **state)
{
	static const char *const pieces[] = { "1a",   "1,",    "12 ",  "-1x", "0x1",      "0x12,",
					      "\\",   "\\u12", "%4",   "%",   "ab  cd\n", "\n000010 ",
					      "\n\n", "a\n1 ", "  1a", "|" };
	scoped(drop_fingerprints) struct fingerprints *m = NULL;
	scoped(drop_fingerprint_scan) struct fingerprint_scan *scan = NULL;
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	record("KEY", "top secret/+\"1");
	assert_int_equal(fingerprints_load(dir, &m, &e), 0);
	scan = fingerprint_scan_create(m);
	assert_non_null(scan);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++)
		for (size_t shift = 0; shift < 3; shift++) {
			scoped(buf_finish) struct buf text = { 0 }, out = { 0 };

			buf_add(&text, "  ", shift);
			while (text.len < 20000)
				buf_add(&text, pieces[i], strlen(pieces[i]));
			assert_true(fingerprints_scrub(scan, text.data, text.len, &out));
			assert_int_equal(out.len, text.len);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_found_again),
					    cmocka_unit_test(test_any_text),
					    cmocka_unit_test(test_derived_bytes_stay),
					    cmocka_unit_test(test_others_can_not_be_read) };

	return cmocka_run_group_tests(tests, make_dir, drop_dir_again);
}
