/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of an archive after the other becomes a file of the layer. The last of a name counts. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/unpack.h"

#define HOLE       (64u << 10) /* zeros of this length become a hole; */
#define HOLE_LEAST 4096u       /* and those at the edge of a block that was read */

static bool all_zero(const uint8_t *data, size_t len)
{
	return data[0] == 0 && !memcmp(data, data + 1, len - 1);
}

static int put(int fd, const uint8_t *data, size_t len, uint64_t at, uint64_t *end)
{
	*end = len ? at + len : *end;
	while (len) {
		ssize_t n = pwrite(fd, data, len, (off_t)at);

		if (n < 0 && errno != EINTR)
			return -errno;
		n = n > 0 ? n : 0;
		data += n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

/* Leaves runs of zeros out. *END: how far the file reaches then. */
static int put_with_holes(int fd, const uint8_t *data, size_t len, uint64_t at, uint64_t *end)
{
	size_t from = 0, n = 0; /* what is to be written */

	while (from + n < len) {
		size_t next = HOLE - (size_t)((at + from + n) % HOLE);
		int r;

		if (next > len - from - n)
			next = len - from - n;
		if (next < HOLE_LEAST || !all_zero(data + from + n, next)) {
			n += next;
			continue;
		}
		r = put(fd, data + from, n, at + from, end);
		if (r < 0)
			return r;
		from += n + next;
		n = 0;
	}
	return put(fd, data + from, n, at + from, end);
}

static int fill_file(struct tar_reader *r, int fd, const struct tar_entry *t, struct aisbx_error *e)
{
	uint64_t at, end = 0;
	const uint8_t *data;
	size_t len;
	int n;

	while ((n = tar_data(r, &data, &len, &at, e)) > 0) {
		n = put_with_holes(fd, data, len, at, &end);
		if (n < 0)
			return unpack_fail(e, -n, "write", t->path);
	}
	if (n == 0 && end < t->size && ftruncate(fd, (off_t)t->size) < 0)
		return unpack_fail(e, errno, "write", t->path);
	return n;
}

static int too_large(const struct unpack *u, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
			    "the layer has more than %llu bytes of files", (unsigned long long)u->max_bytes);
}

/* Where an entry goes. */
struct place {
	struct unpack_dir *dir;
	const char *name;
	int fd; /* of DIR */
};

static int find_place(struct unpack *u, const char *path, struct place *ret, struct aisbx_error *e)
{
	if (unpack_parent(u, path, true, &ret->dir, &ret->name, e) < 0)
		return e->code;
	u->inherits = (ret->dir->mode & S_ISGID) || ret->dir->gid != u->gid;
	ret->fd = unpack_dir_fd(u, ret->dir, e);
	return ret->fd < 0 ? ret->fd : 0;
}

static int make_room(struct unpack *u, struct place *p, struct aisbx_error *e)
{
	if (unpack_remove(u, p->dir, p->name, NULL, e) < 0)
		return e->code;
	p->fd = unpack_dir_fd(u, p->dir, e);
	return p->fd < 0 ? p->fd : 0;
}

static int add_file(struct unpack *u, struct tar_reader *r, const struct tar_entry *t, struct place *p,
		    struct aisbx_error *e)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	/* Attributes can be set only on what its owner can write. */
	const mode_t mode = (t->mode & 0777) | (u->can_always ? 0 : 0600);
	scoped(drop_fd) int fd = -1;

	if (t->size > u->max_bytes || t->stored > u->max_bytes - u->bytes)
		return too_large(u, e);
	u->bytes += t->stored;
	fd = openat(p->fd, p->name, flags, mode);
	if (fd < 0 && errno == EEXIST) {
		if (make_room(u, p, e) < 0)
			return e->code;
		fd = openat(p->fd, p->name, flags, mode);
	}
	if (fd < 0)
		return unpack_fail(e, errno, "create", t->path);
	return fill_file(r, fd, t, e) < 0 || unpack_set_file(u, fd, t, e) < 0 ? e->code : 0;
}

static int make_other(const struct tar_entry *t, const struct place *p)
{
	int r = t->type == '2' ? symlinkat(t->link, p->fd, p->name)
			       : mknodat(p->fd, p->name, S_IFIFO | (t->mode & 0777), 0);

	return r < 0 ? -errno : 0;
}

static int add_other(struct unpack *u, const struct tar_entry *t, struct place *p, struct aisbx_error *e)
{
	int r = make_other(t, p);

	if (r == -EEXIST) {
		if (make_room(u, p, e) < 0)
			return e->code;
		r = make_other(t, p);
	}
	return r < 0 ? unpack_fail(e, -r, "create", t->path) : unpack_set_other(u, p->fd, p->name, t, e);
}

static int add_dir(struct unpack *u, const struct tar_entry *t, const struct place *p, struct aisbx_error *e)
{
	struct unpack_dir *d = unpack_dir_find(u, p->dir, p->name);
	bool was = false;

	if (!d) {
		if (mkdirat(p->fd, p->name, 0700) < 0) {
			int fd;

			if (errno != EEXIST)
				return unpack_fail(e, errno, "create directory", t->path);
			fd = unpack_remove(u, p->dir, p->name, &was, e);
			if (fd == 0)
				fd = unpack_dir_fd(u, p->dir, e);
			if (fd < 0)
				return fd;
			if (mkdirat(fd, p->name, 0700) < 0)
				return unpack_fail(e, errno, "create directory", t->path);
		}
		if (unpack_dir_add(u, p->dir, p->name, &d, e) < 0)
			return e->code;
	}
	if (unpack_set_dir(u, d, t, e) < 0)
		return e->code;
	return was ? unpack_dir_hide(u, d, e) : 0;
}

/* What the link is to, in this layer; copied from below if it is there. */
static int link_target(struct unpack *u, const struct tar_entry *t, struct place *ret, struct aisbx_error *e)
{
	scoped(unpack_lower_finish) struct unpack_lower lower = { .fd = -1 };
	struct stat st;

	if (find_place(u, t->link, ret, e) < 0)
		return e->code;
	if (fstatat(ret->fd, ret->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) || S_ISFIFO(st.st_mode))
			return 0;
	} else if (errno != ENOENT) {
		return unpack_fail(e, errno, "look at", t->link);
	} else {
		if (unpack_lower_find(u, ret->dir, ret->name, &lower, e) < 0)
			return e->code;
		if (lower.fd >= 0 && !S_ISDIR(lower.st.st_mode)) {
			int r = unpack_copy_file(u, ret->dir, ret->name, &lower, e);

			return r == 0 && lower.st.st_nlink > 1
				       ? unpack_copy_names(u, ret->dir, ret->name, &lower, e)
				       : r;
		}
	}
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, ENOENT,
			    "the layer links '%.150s' to '%.150s', which is no file of the image", t->path,
			    t->link);
}

static int add_hard_link(struct unpack *u, const struct tar_entry *t, struct place *p, struct aisbx_error *e)
{
	char link[TAR_NAME_MAX + 1];
	struct tar_entry clean = { .path = t->path, .link = link };
	struct place target;

	if (unpack_clean(t->link, link, e) < 0)
		return e->code;
	if (!*link)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, ENOENT,
				    "the layer links '%.200s' to nothing", t->path);
	if (link_target(u, &clean, &target, e) < 0)
		return e->code;
	if (target.dir == p->dir && !strcmp(target.name, p->name))
		return 0;
	p->fd = unpack_dir_fd(u, p->dir, e);
	if (p->fd < 0)
		return p->fd;
	target.fd = unpack_dir_fd(u, target.dir, e);
	if (target.fd < 0)
		return target.fd;
	if (linkat(target.fd, target.name, p->fd, p->name, 0) == 0)
		return 0;
	if (errno != EEXIST)
		return unpack_fail(e, errno, "link", t->path);
	if (make_room(u, p, e) < 0)
		return e->code;
	/* Removing a directory may have removed what is linked to, with its own directory. */
	if (link_target(u, &clean, &target, e) < 0)
		return e->code;
	p->fd = unpack_dir_fd(u, p->dir, e);
	if (p->fd < 0 || linkat(target.fd, target.name, p->fd, p->name, 0) < 0)
		return p->fd < 0 ? p->fd : unpack_fail(e, errno, "link", t->path);
	return 0;
}

/* Left out; but it hides what is below. */
static int add_device(struct unpack *u, const struct tar_entry *t, struct place *p, struct aisbx_error *e)
{
	if (t->type == '3' && t->major == 0 && t->minor == 0)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				    "the layer has a device 0:0, with which a deletion is forged: '%.200s'",
				    t->path);
	u->told.devices++;
	if (make_room(u, p, e) < 0)
		return e->code;
	if (u->n_below && mknodat(p->fd, p->name, S_IFCHR, makedev(0, 0)) < 0)
		return unpack_fail(e, errno, "leave out", t->path);
	return 0;
}

static int add_top(struct unpack *u, const struct tar_entry *t, struct aisbx_error *e)
{
	if (t->type != '5')
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EINVAL,
				    "the layer has an entry without a name");
	return unpack_set_dir(u, u->top, t, e);
}

int unpack_entry(struct unpack *u, struct tar_reader *r, const struct tar_entry *t, struct aisbx_error *e)
{
	char path[TAR_NAME_MAX + 1];
	const char *gone = NULL;
	enum whiteout kind;
	struct place p;

	if (++u->files > u->max_files)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "the layer has more than %llu entries", (unsigned long long)u->max_files);
	if (unpack_clean(t->path, path, e) < 0)
		return e->code;
	if (!*path)
		return add_top(u, t, e);
	kind = whiteout_of(path, &gone);
	if (kind != WHITEOUT_NONE)
		return unpack_whiteout(u, path, kind, gone, e);
	if (find_place(u, path, &p, e) < 0)
		return e->code;
	switch (t->type) {
	case '0':
		return add_file(u, r, t, &p, e);
	case '1':
		return add_hard_link(u, t, &p, e);
	case '2':
	case '6':
		return add_other(u, t, &p, e);
	case '5':
		return add_dir(u, t, &p, e);
	default:
		return add_device(u, t, &p, e);
	}
}

int unpack_all(struct unpack *u, struct tar_source source, void (*progress)(void *ctx), void *ctx,
	       struct aisbx_error *e)
{
	scoped(tar_reader_finish) struct tar_reader r;
	struct tar_entry t;
	int n;

	tar_reader_init(&r, source);
	while ((n = tar_next(&r, &t, e)) > 0) {
		n = unpack_entry(u, &r, &t, e);
		if (n < 0)
			return n;
		if (progress && (u->files % 256 == 0 || t.size > HOLE * 16))
			progress(ctx);
	}
	return n;
}
