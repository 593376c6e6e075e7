/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles modules that were run, for the next time. */
#include "wasm/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "wasm/helper.h"
#include "wasm/place.h"

#define MODULE_MOST (256u << 20)

/* What a name here looks like. */
static bool is_hash(const char *name)
{
	return strlen(name) == 2 * SHA256_BYTES && strspn(name, "0123456789abcdef") == 2 * SHA256_BYTES;
}

struct old {
	char name[2 * SHA256_BYTES + 1];
	struct timespec used;
	off_t size;
};

static int by_time(const void *a, const void *b)
{
	const struct old *x = a, *y = b;

	return x->used.tv_sec != y->used.tv_sec ? (x->used.tv_sec < y->used.tv_sec ? -1 : 1)
						: (x->used.tv_nsec < y->used.tv_nsec ? -1 : 1);
}

/* The oldest go until all take no more than they may. */
static void trim(int dir)
{
	scoped(drop_fd) int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scoped(drop_dir) DIR *d = again >= 0 ? fdopendir(again) : NULL;
	scoped(drop_mem) struct old *list = NULL;
	size_t n = 0;
	unsigned long long sum = 0;

	if (d)
		again = -1;
	for (struct dirent *entry; d && (entry = readdir(d));) {
		struct stat st;
		struct old *more;

		if (!is_hash(entry->d_name) || fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		more = realloc(list, (n + 1) * sizeof(*list));
		if (!more)
			return;
		list = more;
		memcpy(list[n].name, entry->d_name, sizeof(list[n].name));
		list[n].used = st.st_mtim;
		list[n++].size = st.st_size;
		sum += (unsigned long long)st.st_size;
	}
	if (n)
		qsort(list, n, sizeof(*list), by_time);
	for (size_t i = 0; i < n && sum > WASM_CACHE_MOST; i++) {
		unlinkat(dir, list[i].name, 0);
		sum -= (unsigned long long)list[i].size;
	}
}

static int copy_and_name(int from, int to, char ret[2 * SHA256_BYTES + 1])
{
	struct sha256 sum;
	uint8_t hash[SHA256_BYTES], chunk[65536];
	size_t total = 0;
	ssize_t n;

	sha256_init(&sum);
	while ((n = read(from, chunk, sizeof(chunk))) > 0 && total <= MODULE_MOST) {
		sha256_add(&sum, chunk, (size_t)n);
		total += (size_t)n;
		if (io_write_all(to, chunk, (size_t)n) < 0)
			return -EIO;
	}
	sha256_end(&sum, hash);
	io_hex(hash, sizeof(hash), ret);
	return n < 0 || total > MODULE_MOST || lseek(to, 0, SEEK_SET) < 0 ? -EIO : 0;
}

static void compile(const char *state, int module, const char *name)
{
	static const char *const words[] = { "compile", NULL };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct wasm_draft draft = { .dir = -1, .fd = -1 };
	scoped(drop_fd) int dir = wasm_place_open(state, WASM_COMPILED, 0700, &e);
	int r = dir < 0 ? dir : faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? -EEXIST : 0;

	/* One at a time: nobody waits for this, and whoever runs many modules must not keep the machine busy.
	 */
	if (r == 0 && flock(dir, LOCK_EX | LOCK_NB) < 0)
		return;
	if (r == 0)
		r = wasm_draft_open(dir, &draft, &e);
	if (r == 0)
		r = wasm_helper_run(words, module, draft.fd, &e);
	if (r == 0)
		r = wasm_draft_keep(&draft, name, &e);
	if (r == 0)
		trim(dir);
	else if (r != -EEXIST)
		log_debug("keep a compiled module: %s", e.text);
	wasm_draft_drop(&draft);
}

void wasm_cache_add(const char *state, int module_fd)
{
	char name[2 * SHA256_BYTES + 1];
	scoped(drop_fd) int copy = memfd_create("aisbx-module", MFD_CLOEXEC);
	pid_t pid;

	/* From here on nobody in the box, or who was in it, can change it. */
	if (copy < 0 || copy_and_name(module_fd, copy, name) < 0)
		return;
	pid = fork();
	if (pid == 0) { /* twice: whoever waits for a run does not wait for this */
		if (fork() != 0)
			_exit(0);
		setsid();
		for (int fd = 0; fd < 3; fd++) {
			int null = open("/dev/null", O_RDWR | O_CLOEXEC);

			if (null >= 0 && null != fd)
				dup2(null, fd);
		}
		/* With what the run held, locks of its box among it, that would not be free before the end of
		 * this. */
		if (copy != STDERR_FILENO + 1)
			dup3(copy, STDERR_FILENO + 1, O_CLOEXEC);
		close_range(STDERR_FILENO + 2, ~0U, 0);
		compile(state, STDERR_FILENO + 1, name);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
