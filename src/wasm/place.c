/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and makes the directories of compiled code; writes files so that each is there whole or not at all.
 */
#include "wasm/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/private_dir.h"
#include "base/scope.h"

#define REMEDY "compiled code is taken only from directories that nobody else can change"

int wasm_place_open(const char *state, const char *below, mode_t mode, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(state, WASM_DIR);
	scoped(drop_mem) char *deeper = path && below ? path_join(path, below) : NULL;
	scoped(drop_fd) int top = private_dir_open(state, REMEDY, e);
	scoped(drop_fd) int dir = -1;

	if (!path || (below && !deeper))
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "find the languages");
	if (top < 0)
		return top;
	dir = private_dir_open_at(top, path, WASM_DIR, mode, e);
	if (dir < 0 || !below)
		return take_fd(&dir);
	return private_dir_open_at(dir, deeper, below, mode, e);
}

/* Ours or root's, a plain file, and nobody else can write to it. */
static int check_file(int dir, const char *name, const char *path, struct aisbx_error *e)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || !private_dir_trusts(st.st_uid) || st.st_mode & 022)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_RUN, EPERM,
				    "'%s' is not a plain file of yours that only you can write to; " REMEDY
				    ". Remove it, and add the language again",
				    path);
	return 0;
}

/* One that a package or root has filled: on the way to it nobody but root and we can change anything. */
static int open_given(const char *path, struct aisbx_error *e)
{
	scoped(drop_mem) char *real = realpath(path, NULL);
	scoped(drop_fd) int dir = real ? open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	struct stat st;

	if (dir < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "open the directory '%s' of " WASM_PLACE_ENV,
				  path);
	for (size_t n = strlen(real); n; n = (size_t)(strrchr(real, '/') - real)) {
		real[n] = '\0';
		if (stat(real, &st) < 0 || !private_dir_trusts(st.st_uid) ||
		    (st.st_mode & 022 && !(st.st_mode & S_ISVTX)))
			return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
					    "'%s', on the way to the directory of " WASM_PLACE_ENV
					    ", can be changed by others; " REMEDY,
					    real);
	}
	return take_fd(&dir);
}

static int find_in(int dir, const char *path, const char *file, char **ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *full = path_join(path, file);
	int r = full ? check_file(dir, file, full, e) : -ENOMEM;

	if (r == 0)
		*ret = take_mem(&full);
	return r;
}

int wasm_place_language(const char *state, const struct wasm_language *l, char **ret, struct aisbx_error *e)
{
	const char *other = getenv(WASM_PLACE_ENV);
	scoped(drop_mem) char *own = path_join(state, WASM_DIR);
	char file[64];
	int r = -ENOENT;

	snprintf(file, sizeof(file), "%s.cwasm", l->name);
	if (!own)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "find the languages");
	for (int i = 0; i < 2 && r == -ENOENT; i++) {
		const char *path = i ? other : own;
		scoped(drop_fd) int dir = !path ? -ENOENT
					  : i   ? open_given(path, e)
						: wasm_place_open(state, NULL, 0, e);

		r = dir < 0 ? dir : find_in(dir, path, file, ret, e);
	}
	if (r == -ENOENT)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT,
				    "%s is not there: aisbx fetches it only when it is asked to; 'aisbx lang "
				    "add %s' does, "
				    "and '--driver native' runs the program with what this machine has",
				    l->name, l->name);
	return r < 0 && !e->code ? aisbx_fail(e, AISBX_AREA_RUN, -r, "find %s", l->name) : r;
}

char *wasm_place_compiled(const char *state)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int dir = wasm_place_open(state, WASM_COMPILED, 0700, &ignored);
	scoped(drop_mem) char *path = path_join(state, WASM_DIR);
	struct stat st;

	if (dir < 0 || !path || private_dir_check_entries(dir, WASM_COMPILED, &ignored) < 0 ||
	    fstat(dir, &st) < 0)
		return NULL;
	return path_join(path, WASM_COMPILED);
}

int wasm_draft_open(int dir, struct wasm_draft *ret, struct aisbx_error *e)
{
	uint8_t bytes[8];
	char hex[2 * sizeof(bytes) + 1];

	*ret = (struct wasm_draft){ .dir = fcntl(dir, F_DUPFD_CLOEXEC, 3), .fd = -1 };
	if (ret->dir < 0 || getrandom(bytes, sizeof(bytes), 0) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "begin a file");
	io_hex(bytes, sizeof(bytes), hex);
	snprintf(ret->temporary, sizeof(ret->temporary), ".new-%s", hex);
	ret->fd = openat(dir, ret->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return ret->fd < 0 ? aisbx_fail(e, AISBX_AREA_RUN, errno, "begin a file") : 0;
}

int wasm_draft_keep(struct wasm_draft *d, const char *name, struct aisbx_error *e)
{
	/* Also for the ids of root's boxes, which are nobody's outside. */
	if (fchmod(d->fd, 0644) < 0 || fsync(d->fd) < 0 || renameat(d->dir, d->temporary, d->dir, name) < 0 ||
	    fsync(d->dir) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "write '%s'", name);
	d->temporary[0] = '\0';
	return 0;
}

void wasm_draft_drop(struct wasm_draft *d)
{
	if (d->temporary[0] && d->fd >= 0)
		unlinkat(d->dir, d->temporary, 0);
	drop_fd(&d->fd);
	drop_fd(&d->dir);
}
