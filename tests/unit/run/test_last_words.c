/* SPDX-License-Identifier: Apache-2.0 */
/* What programs say when a limit refuses them something, as they say it; and what only looks like it. */
#include "support/test.h"

#include <locale.h>

#include "jail/plan.h"
#include "run/last_words.h"

#define BIT(l)   (1u << LIMIT_##l)
#define ANY_DISK (BIT(DISK) | BIT(INODES))

static uint32_t read_words(const char *text)
{
	struct last_words w = { 0 };

	last_words_add(&w, text, strlen(text));
	return last_words_limits(&w, NULL);
}

static void each_language_has_its_words(void **state)
{
	static const struct {
		const char *text;
		uint32_t limits;
	} said[] = {
		{ "OSError: [Errno 24] Too many open files: '/dev/null'", BIT(FILES) },
		{ "Error: EMFILE: too many open files, open '/dev/null'", BIT(FILES) },
		{ "panic: open /dev/null: too many open files", BIT(FILES) },
		{ "called `Result::unwrap()` on an `Err` value: Os { code: 24, kind: Uncategorized, message: "
		  "\"Too many open files\" }",
		  BIT(FILES) },
		{ "java.io.FileNotFoundException: /dev/null (Too many open files)", BIT(FILES) },
		{ "Too many open files @ rb_sysopen - /dev/null (Errno::EMFILE)", BIT(FILES) },
		{ "  errno: -24,\n  code: 'EMFILE',\n  syscall: 'open'", BIT(FILES) },
		{ "IOError [Errno 24]", BIT(FILES) },
		{ "No file descriptors available (os error 24)", BIT(FILES) }, /* musl */
		{ "sh: 0: Cannot fork", BIT(PROCESSES) },
		{ "bash: fork: retry: Resource temporarily unavailable", BIT(PROCESSES) },
		{ "make: vfork: Resource temporarily unavailable", BIT(PROCESSES) },
		{ "BlockingIOError: [Errno 11] Resource temporarily unavailable", BIT(PROCESSES) },
		{ "RuntimeError: can't start new thread", BIT(PROCESSES) },
		{ "Error: spawn sleep EAGAIN", BIT(PROCESSES) },
		{ "runtime: failed to create new OS thread (have 18 already; errno=11)", BIT(PROCESSES) },
		{ "runtime/cgo: pthread_create failed: Resource temporarily unavailable", BIT(PROCESSES) },
		{ "failed to spawn thread: Os { code: 11, kind: WouldBlock, message: \"...\" }",
		  BIT(PROCESSES) },
		{ "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or "
		  "process/resource limits reached",
		  BIT(PROCESSES) | BIT(MEMORY) },
		{ "terminate called after throwing an instance of 'std::system_error'\n  what():  Resource "
		  "temporarily unavailable",
		  BIT(PROCESSES) },
		{ "libgomp: Thread creation failed: Resource temporarily unavailable", BIT(PROCESSES) },
		{ "OSError: [Errno 27] File too large", BIT(FILE_SIZE) },
		{ "Error: EFBIG: file too large, write", BIT(FILE_SIZE) },
		{ "write large: file too large", BIT(FILE_SIZE) },
		{ "File size limit exceeded (core dumped)", BIT(FILE_SIZE) },
		{ "CPU time limit exceeded", BIT(CPU_TIME) },
		{ "dd: error writing 'x': No space left on device", ANY_DISK },
		{ "Error: ENOSPC: no space left on device, write", ANY_DISK },
		{ "cp: error writing 'x': Disk quota exceeded", ANY_DISK },
		{ "sqlite3.OperationalError: database or disk is full", ANY_DISK },
		{ "MemoryError", BIT(MEMORY) },
		{ "  what():  std::bad_alloc", BIT(MEMORY) },
		{ "memory allocation of 2147483648 bytes failed", BIT(MEMORY) },
		{ "fatal error: runtime: out of memory", BIT(MEMORY) },
		{ "java.lang.OutOfMemoryError: Java heap space", BIT(MEMORY) },
		{ "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
		  BIT(MEMORY) },
		{ "sh: 1: Cannot allocate memory", BIT(MEMORY) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		if (read_words(said[i].text) != said[i].limits)
			fail_msg("'%s' is 0x%x", said[i].text, read_words(said[i].text));
}

static void what_only_looks_like_it(void **state)
{
	static const char *const said[] = {
		"",
		"\n\n\n",
		"AssertionError: 3 != 4",
		"make: *** [all] Error 24",
		"exit code: 28",
		"[Errno 240] no such thing",
		"OSError: [Errno 2] No such file or directory: 'emfiles'",
		"OSError: [Errno 24] inotify instance limit reached",
		"Error: ENOSPC: System limit for number of file watchers reached, watch '/p'",
		"Too many open files in system",
		"test_xenospces passed",
		"errno ",
		"os error",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		if (read_words(said[i]))
			fail_msg("'%s' is 0x%x", said[i], read_words(said[i]));
}

static void only_the_last_words_count(void **state)
{
	static char much[3 * LAST_WORDS];
	struct last_words w = { 0 };

	(void)state;
	memset(much, 'x', sizeof(much));
	last_words_add(&w, "Too many open files\n", 20);
	assert_int_equal(last_words_limits(&w, NULL), BIT(FILES));
	last_words_add(&w, much, LAST_WORDS - 20);
	assert_int_equal(w.len, LAST_WORDS);
	assert_int_equal(last_words_limits(&w, NULL), BIT(FILES));
	last_words_add(&w, "x", 1);
	assert_int_equal(last_words_limits(&w, NULL), 0);
	last_words_add(&w, much, sizeof(much));
	assert_int_equal(w.len, LAST_WORDS);
	/* In pieces, and after a line that did not end. */
	for (const char *at = "\nFile too large"; *at; at++)
		last_words_add(&w, at, 1);
	assert_int_equal(last_words_limits(&w, NULL), BIT(FILE_SIZE));
	last_words_add(&w, much, 0);
	assert_int_equal(last_words_limits(&w, NULL), BIT(FILE_SIZE));
}

static void words_of_the_library_in_any_language(void **state)
{
	struct last_words w = { 0 };
	const char *words = "Fehler: Too many open files";

	(void)state;
	last_words_add(&w, words, strlen(words));
	assert_int_equal(last_words_limits(&w, "C.UTF-8"), BIT(FILES));
	assert_int_equal(last_words_limits(&w, "no_SUCH.language"), BIT(FILES));
	assert_int_equal(last_words_limits(&w, ""), BIT(FILES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_language_has_its_words),
		cmocka_unit_test(what_only_looks_like_it),
		cmocka_unit_test(only_the_last_words_count),
		cmocka_unit_test(words_of_the_library_in_any_language),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
