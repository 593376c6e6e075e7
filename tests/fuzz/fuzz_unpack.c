/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes unpacking: the input is a tar archive, unpacked over a small layer into an empty directory on tmpfs.
 * Whatever it is, nothing outside is touched, and no device comes into being but whiteouts. The first byte
 * says how the archive is cut into pieces. Built for fuzzing, the sums of headers are not checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "helpers/image/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static char top[] = "/dev/shm/aisbx-fuzz-XXXXXX";
static int top_fd = -1, below_fd = -1;
static struct stat canary;

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)type;
	(void)ftw;
	must(!S_ISBLK(st->st_mode) && !S_ISSOCK(st->st_mode) && (!S_ISCHR(st->st_mode) || st->st_rdev == 0));
	return remove(path);
}

static void remove_all(void)
{
	nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void write_text(int at, const char *path, const char *text)
{
	scoped(drop_fd) int fd = openat(at, path, O_WRONLY | O_CREAT | O_EXCL, 0644);

	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

/* Links that lead out, files with two names, a directory that is opaque in nothing. */
static void prepare(void)
{
	must(mkdtemp(top));
	atexit(remove_all);
	top_fd = open(top, O_PATH | O_DIRECTORY);
	must(mkdirat(top_fd, "below", 0755) == 0 && mkdirat(top_fd, "below/d", 0755) == 0 &&
	     mkdirat(top_fd, "below/d/e", 0700) == 0 && mkdirat(top_fd, "canary", 0777) == 0);
	write_text(top_fd, "below/f", "file");
	write_text(top_fd, "below/d/g", "other");
	write_text(top_fd, "canary/x", "canary");
	must(symlinkat("d/e", top_fd, "below/l") == 0 && symlinkat("../../canary", top_fd, "below/o") == 0 &&
	     symlinkat("/proc/self/cwd", top_fd, "below/p") == 0 &&
	     linkat(top_fd, "below/f", top_fd, "below/d/h", 0) == 0 &&
	     mknodat(top_fd, "below/d/w", S_IFCHR, 0) == 0);
	below_fd = openat(top_fd, "below", O_PATH | O_DIRECTORY);
	must(below_fd >= 0 && fstatat(top_fd, "canary", &canary, 0) == 0);
}

struct pieces {
	const uint8_t *data;
	size_t left, piece;
};

static int next(void *ctx, const uint8_t **ret_data, size_t *ret_len, struct aisbx_error *e)
{
	struct pieces *p = ctx;

	(void)e;
	*ret_data = p->data;
	*ret_len = p->left < p->piece ? p->left : p->piece;
	p->data += *ret_len;
	p->left -= *ret_len;
	return *ret_len > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const size_t sizes[] = { 512, 1 << 18, 1000, 17 };
	struct pieces p = { data + 1, len - 1, len ? sizes[data[0] % 4] : 1 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct unpack u = { .below = &below_fd,
			    .ids = len && data[0] & 4 ? OWNER_ONE : OWNER_ALL,
			    .id_shift = len && data[0] & 8 ? 100000 : 0,
			    .can_always = geteuid() == 0,
			    .uid = geteuid(),
			    .gid = getegid(),
			    .max_bytes = 1 << 20,
			    .max_files = 100,
			    .max_open = 16 };
	struct stat now;

	if (len == 0)
		return 0;
	if (top_fd < 0)
		prepare();
	u.n_below = data[0] & 16 ? 1 : 0;
	must(mkdirat(top_fd, "into", 0755) == 0);
	u.into = openat(top_fd, "into", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(u.into >= 0 && unpack_top_create(&u, &e) == 0);
	if (unpack_all(&u, (struct tar_source){ next, &p }, NULL, NULL, &e) == 0)
		unpack_dirs_end(&u, &e);
	must(u.bytes <= u.max_bytes);
	unpack_dirs_finish(&u);
	unpack_names_finish(&u);
	close(u.into);
	must(fstatat(top_fd, "canary", &now, 0) == 0 && now.st_mtim.tv_sec == canary.st_mtim.tv_sec &&
	     now.st_mtim.tv_nsec == canary.st_mtim.tv_nsec && now.st_mode == canary.st_mode);
	{
		char into[sizeof(top) + 8];

		snprintf(into, sizeof(into), "%s/into", top);
		if (unlinkat(top_fd, "into", AT_REMOVEDIR) < 0)
			must(nftw(into, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0);
	}
	return 0;
}
