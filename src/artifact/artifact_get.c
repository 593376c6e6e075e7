/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies an artifact to a place on the host. It is made completely under a temporary name beside its
 * destination, and renamed in one step; no link of the artifact or of the destination is followed, and no
 * special mode bits are kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/io.h"
#include "base/meter.h"
#include "base/path.h"
#include "base/scope.h"
#include "artifact/artifact.h"
#include "box/export_traps.h"

#define CHUNK 65536
#define MODES 0777u

struct place {
	int dir;          /* owned; where it goes */
	const char *name; /* borrowed; under which */
	char draft[40];   /* under which it is made; "": not yet, or no longer */
	struct sha256 sum;
};

/* Only what we made ourselves, so not deeper than what we make. */
static void remove_tree(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	scoped(drop_dir) DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int r = 0;

	if (fd >= 0 && !d)
		close(fd);
	while (d && r == 0 && (entry = dir_next(d, &r)))
		if (unlinkat(dirfd(d), entry->d_name, 0) < 0)
			remove_tree(dirfd(d), entry->d_name);
	if (unlinkat(dir, name, 0) < 0)
		unlinkat(dir, name, AT_REMOVEDIR);
}

static void place_finish(struct place *p)
{
	if (p->draft[0])
		remove_tree(p->dir, p->draft);
	drop_fd(&p->dir);
}

/* The directory of a path below ROOT, which was made before what is in it. */
static int open_above(int root, const char *path, const char **ret_name)
{
	scoped(drop_fd) int dir = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char name[NAME_MAX + 1];
	const char *slash;

	while (dir >= 0 && (slash = strchr(path, '/'))) {
		int next;

		snprintf(name, sizeof(name), "%.*s", (int)(slash - path), path);
		next = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(dir);
		dir = next;
		path = slash + 1;
	}
	*ret_name = path;
	return dir < 0 ? -errno : take_fd(&dir);
}

static int put_file(struct unpack *p, int dir, const char *name, struct aisbx_error *e)
{
	scoped(drop_fd) int fd =
		openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct timespec times[2] = { { .tv_nsec = UTIME_NOW },
				     { .tv_sec = p->e.mtime_ns / 1000000000,
				       .tv_nsec = p->e.mtime_ns % 1000000000 } };
	uint64_t left = p->e.size;
	char chunk[CHUNK];
	size_t n;
	int r = fd < 0 ? -errno : 0, err;

	while (r == 0 && left) {
		err = unpack_read(p, &left, chunk, sizeof(chunk), &n, e);
		if (err < 0)
			return err;
		r = io_write_all(fd, chunk, n);
	}
	if (r == 0 &&
	    (fchmod(fd, p->e.mode & MODES) < 0 || (times[1].tv_nsec >= 0 && futimens(fd, times) < 0)))
		r = -errno;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "write '%s'", path_tail(p->name, PATH_TOLD)) : 0;
}

/* One that its owner can always look into, and remove. */
static int put_entry(struct unpack *p, int root, struct aisbx_error *e)
{
	const char *name;
	scoped(drop_fd) int dir = open_above(root, p->name, &name);
	int r = dir < 0 ? dir : 0;

	if (r == 0 && p->e.type == FILE_IS_FILE)
		return put_file(p, dir, name, e);
	if (r == 0 && p->e.type == FILE_IS_DIR && mkdirat(dir, name, (p->e.mode & MODES) | 0700) < 0)
		r = -errno;
	if (r == 0 && p->e.type == FILE_IS_LINK && symlinkat(p->target, dir, name) < 0)
		r = -errno;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "make '%s'", path_tail(p->name, PATH_TOLD)) : 0;
}

static int put_tree(struct place *to, int from, uint64_t size, struct aisbx_error *e)
{
	struct unpack p = { .fd = from, .end = size, .sum = &to->sum };
	scoped_meter bool meter = meter_begin("copying", 0);
	scoped(drop_fd) int root = -1;
	int r = unpack_next(&p, e);

	if (r < 0)
		return r;
	if (mkdirat(to->dir, to->draft, (p.e.mode & MODES) | 0700) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make a directory beside '%s'", to->name);
	root = openat(to->dir, to->draft, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (root < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open a directory beside '%s'", to->name);
	while ((r = unpack_next(&p, e)) > 0) {
		r = put_entry(&p, root, e);
		meter_step(p.e.size);
		if (r < 0)
			return r;
	}
	return r;
}

static int put_content(struct place *to, int from, mode_t mode, struct aisbx_error *e)
{
	scoped(drop_fd) int fd =
		openat(to->dir, to->draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	char chunk[CHUNK];
	ssize_t n = 0;
	int r = fd < 0 ? -errno : 0;

	while (r == 0 && (n = read(from, chunk, sizeof(chunk))) > 0) {
		sha256_add(&to->sum, chunk, (size_t)n);
		r = io_write_all(fd, chunk, (size_t)n);
	}
	if (r == 0 && (n < 0 || fsync(fd) < 0))
		r = -errno;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "write beside '%s'", to->name) : 0;
}

static int open_place(const char *to, bool force, struct place *ret, struct aisbx_error *e)
{
	const char *slash = strrchr(to, '/');
	scoped(drop_mem) char *above = slash ? strndup(to, slash == to ? 1 : (size_t)(slash - to)) : NULL;
	char random[STORE_ID_MAX];
	struct stat st;

	if (!above || !slash[1])
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' is not a valid destination", to);
	ret->dir = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->dir < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "open the directory '%s'", above);
	ret->name = slash + 1;
	if (fstatat(ret->dir, ret->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISDIR(st.st_mode))
			return aisbx_refuse(
				e, AISBX_KIND_EXISTS, AISBX_AREA_USAGE, EEXIST,
				"'%s' is a directory, which is not replaced; give a path in it, or remove it",
				to);
		if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) /* root has no other /dev/null */
			return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_USAGE, EEXIST,
					    "'%s' is not a regular file and is not replaced; 'aisbx artifact "
					    "read' prints the artifact",
					    to);
		if (!force)
			return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_USAGE, EEXIST,
					    "'%s' exists already; --force replaces it", to);
	}
	box_new_id("", random);
	snprintf(ret->draft, sizeof(ret->draft), ".aisbx-%s~", random);
	sha256_init(&ret->sum);
	return 0;
}

/* In one step, and never over what came meanwhile unless that is wished. */
static int settle(struct place *p, bool force, struct aisbx_error *e)
{
	int r = force ? renameat(p->dir, p->draft, p->dir, p->name)
		      : renameat2(p->dir, p->draft, p->dir, p->name, RENAME_NOREPLACE);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "rename it to '%s'", p->name);
	p->draft[0] = '\0';
	return 0;
}

static int refuse_trap(const char *path, const struct trap *trap, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
			    "nothing was written: '%s' would be a trap there, %s; review it, and add --yes "
			    "if you want it",
			    path_tail(path, PATH_TOLD), trap->why);
}

/* What PATH, where P stands, would be below WISH->to. Goes past its content. */
static int judge_entry(struct unpack *p, const char *to, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = NULL;
	const struct trap *found = NULL;
	uint64_t left = p->e.size;
	size_t n, at = 0;
	int r = 0;

	if (p->e.type == FILE_IS_FILE && trap_is_read(p->name) && left < CHUNK * 16 &&
	    !(text = calloc(1, left + 1)))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "check the artifact for traps");
	for (; text && left && r == 0; at += n)
		r = unpack_read(p, &left, text + at, (size_t)left, &n, e);
	if (r < 0)
		return r;
	if (p->e.type == FILE_IS_FILE && !text)
		p->at += p->e.size;
	if (p->e.type == FILE_IS_FILE)
		found = box_export_trap(to, p->name, text && strlen(text) == at ? text : NULL);
	else if (p->e.type == FILE_IS_LINK)
		found = box_export_trap_link(to, to, p->name, p->target);
	return found ? refuse_trap(p->name, found, e) : 0;
}

/* By its name there, and if it is a directory, all that is in it. FROM is read from its beginning, and put
 * back. */
static int judge(int from, const struct store_saved_artifact *row, const char *to, struct aisbx_error *e)
{
	scoped(drop_mem) struct unpack *p = calloc(1, sizeof(*p));
	scoped(drop_mem) char *text = NULL;
	scoped(drop_mem) char *above =
		strndup(to, strrchr(to, '/') == to ? 1 : (size_t)(strrchr(to, '/') - to));
	const char *name = strrchr(to, '/') + 1;
	const struct trap *found;
	int r = 0;

	if (!p || !above)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "check the artifact for traps");
	if (strcmp(row->type, "directory") != 0) {
		text = trap_is_read(name) ? box_export_trap_text(from) : NULL;
		found = box_export_trap(above, name, text);
		return found ? refuse_trap(name, found, e) : 0;
	}
	*p = (struct unpack){ .fd = from, .end = (uint64_t)row->size };
	r = unpack_next(p, e);
	while (r > 0 && (r = unpack_next(p, e)) > 0) {
		int err = judge_entry(p, to, e);

		if (err < 0)
			return err;
	}
	return r;
}

int artifact_get(const struct artifact *a, const struct artifact_options *options, struct aisbx_error *e)
{
	const struct box_state *s = &a->state;
	const struct store_saved_artifact *row = &a->row;
	scoped(place_finish) struct place p = { .dir = -1 };
	scoped(drop_fd) int from = -1;
	uint8_t sum[SHA256_BYTES];
	char hex[65];
	int r = artifact_open(s, row, &from, e);

	if (r == 0)
		r = open_place(options->to, options->force, &p, e);
	if (r == 0 && !options->traps)
		r = judge(from, row, options->to, e);
	if (r == 0)
		r = strcmp(row->type, "directory") ? put_content(&p, from, row->mode & 0111 ? 0777 : 0666, e)
						   : put_tree(&p, from, (uint64_t)row->size, e);
	if (r < 0)
		return r;
	sha256_end(&p.sum, sum);
	io_hex(sum, sizeof(sum), hex);
	if (strcmp(hex, row->sha256) != 0)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EIO,
				    "the content of artifact '%s' is damaged: its checksum differs", row->id);
	return settle(&p, options->force, e);
}
