/* SPDX-License-Identifier: Apache-2.0 */
/* What the layers below have at a path, merged as overlayfs does it; and copies of that for this layer. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/unpack.h"
#include "layer/copy.h"
#include "sys/sys.h"

#define OPAQUE_XATTR "user.overlay.opaque"
#define DEFAULT_ACL  "system.posix_acl_default"
#define CAPABILITY   "security.capability"
#define RESOLVE      (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

void unpack_lower_finish(struct unpack_lower *l)
{
	close_fd(&l->fd);
	free(l->layers);
	l->layers = NULL;
}

/* FD may be of O_PATH. */
static int reopen(int fd, int flags)
{
	return sys_openat2(fd, ".", (uint64_t)(flags | O_CLOEXEC), 0, RESOLVE);
}

static bool is_opaque(int dir)
{
	scoped(drop_fd) int fd = reopen(dir, O_RDONLY | O_DIRECTORY);
	char c;

	return fd >= 0 && fgetxattr(fd, OPAQUE_XATTR, &c, 1) == 1 && c == 'y';
}

static int lowers_of(struct unpack *u, struct unpack_dir *d, struct aisbx_error *e);

/* PATH in one layer. 1: what is below it counts as well; 0: it ends here. */
static int look(struct unpack *u, uint16_t layer, const char *path, struct unpack_lower *ret)
{
	struct stat st;
	scoped(drop_fd) int fd =
		sys_openat2(u->below[layer], path, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0, RESOLVE);

	if (fd < 0)
		return fd == -ENOENT ? 1 : fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISCHR(st.st_mode) || (!S_ISDIR(st.st_mode) && ret->fd >= 0))
		return 0;
	if (S_ISDIR(st.st_mode))
		ret->layers[ret->n_layers++] = layer;
	if (ret->fd < 0) {
		ret->fd = take_fd(&fd);
		ret->st = st;
		ret->layer = layer;
		return S_ISDIR(st.st_mode) && !is_opaque(ret->fd);
	}
	return !is_opaque(fd);
}

int unpack_lower_find(struct unpack *u, struct unpack_dir *dir, const char *name, struct unpack_lower *ret,
		      struct aisbx_error *e)
{
	char path[TAR_NAME_MAX + NAME_MAX + 2];
	size_t len;
	int r = lowers_of(u, dir, e);

	if (r < 0 || dir->n_lowers == 0)
		return r;
	unpack_dir_path(dir, path);
	len = strlen(path);
	path[len] = '/';
	strcpy(path + len + 1, name);
	ret->layers = calloc(dir->n_lowers, sizeof(*ret->layers));
	r = ret->layers ? 1 : -ENOMEM;
	for (uint16_t i = 0; r == 1 && i < dir->n_lowers; i++)
		r = look(u, dir->lowers[i], path, ret);
	return r < 0 ? unpack_fail(e, -r, "look below at", name) : 0;
}

static int lowers_of_top(struct unpack *u, struct unpack_dir *top, struct aisbx_error *e)
{
	top->lowers = calloc(u->n_below, sizeof(*top->lowers));
	if (!top->lowers)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "unpack a layer");
	for (size_t i = u->n_below; i-- > 0;)
		top->lowers[top->n_lowers++] = (uint16_t)i;
	top->lowers_known = true;
	return 0;
}

/* From the top down, so that no name is looked up in a directory that is hidden. */
static int lowers_of(struct unpack *u, struct unpack_dir *d, struct aisbx_error *e)
{
	while (!d->lowers_known) {
		scoped(unpack_lower_finish) struct unpack_lower lower = { .fd = -1 };
		struct unpack_dir *first = d;
		int r;

		if (u->n_below == 0) {
			d->lowers_known = true;
			break;
		}
		while (first->parent && !first->parent->lowers_known)
			first = first->parent;
		if (!first->parent) {
			r = lowers_of_top(u, first, e);
		} else {
			r = unpack_lower_find(u, first->parent, first->name, &lower, e);
			first->lowers = lower.layers;
			first->n_lowers = lower.n_layers;
			lower.layers = NULL;
			first->lowers_known = true;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static int copy_capability(int from, int to)
{
	char value[64];
	ssize_t n = fgetxattr(from, CAPABILITY, value, sizeof(value));

	return n > 0 && fsetxattr(to, CAPABILITY, value, (size_t)n, 0) < 0 ? -errno : 0;
}

/* The list that new files get must wait: ours are no new files. */
static int put_off_acl(struct unpack_dir *d, int fd)
{
	char acl[4096];
	ssize_t n = fgetxattr(fd, DEFAULT_ACL, acl, sizeof(acl));

	if (n <= 0)
		return 0;
	d->acl = malloc((size_t)n);
	if (!d->acl)
		return -ENOMEM;
	memcpy(d->acl, acl, (size_t)n);
	d->acl_len = (size_t)n;
	return fremovexattr(fd, DEFAULT_ACL) < 0 ? -errno : 0;
}

static int copy_dir_attrs(struct unpack *u, int from, struct unpack_dir *d, int fd)
{
	struct copy_how how = { .owners = u->can_chown, .leave = COPY_TIME };
	struct stat st;
	int r = fstat(from, &st) < 0 ? -errno : copy_attrs(from, fd, &how);

	if (r == 0)
		r = put_off_acl(d, fd);
	if (r < 0)
		return r;
	d->xattrs = true;
	d->times_later = true;
	d->times[0] = st.st_atim;
	d->times[1] = st.st_mtim;
	d->mode = st.st_mode & 07777;
	d->gid = st.st_gid;
	d->mode_later = !u->can_always;
	return d->mode_later && fchmod(fd, d->mode | 0700) < 0 ? -errno : 0;
}

int unpack_copy_dir(struct unpack *u, struct unpack_dir *dir, const char *name, struct unpack_lower *from,
		    struct unpack_dir **ret, struct aisbx_error *e)
{
	scoped(drop_fd) int open_from = reopen(from->fd, O_RDONLY | O_DIRECTORY);
	struct unpack_dir *d;
	int fd = unpack_dir_fd(u, dir, e), r;

	if (fd < 0 || unpack_dir_add(u, dir, name, &d, e) < 0)
		return e->code;
	if (open_from < 0 || mkdirat(fd, name, 0700) < 0)
		return unpack_fail(e, open_from < 0 ? -open_from : errno, "copy directory", name);
	d->lowers = from->layers;
	d->n_lowers = from->n_layers;
	d->lowers_known = true;
	from->layers = NULL;
	fd = unpack_dir_fd(u, d, e);
	if (fd < 0)
		return fd;
	r = copy_dir_attrs(u, open_from, d, fd);
	if (r < 0)
		return unpack_fail(e, -r, "copy the attributes of", name);
	*ret = d;
	return 0;
}

int unpack_copy_top(struct unpack *u, struct aisbx_error *e)
{
	scoped(drop_fd) int from = reopen(u->below[u->n_below - 1], O_RDONLY | O_DIRECTORY);
	int r = from < 0 ? from : copy_dir_attrs(u, from, u->top, u->into);

	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "copy the attributes of the top") : 0;
}

/* Opens what an O_PATH descriptor is of, as far as the kernel lets us do it without its name. */
static int open_again(const struct unpack_lower *from)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", from->fd);
	return sys_open(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
}

static int copy_regular(struct unpack *u, const struct unpack_lower *from, int dir_fd, const char *name)
{
	struct copy_how how = { .owners = u->can_chown };
	scoped(drop_fd) int in = open_again(from);
	scoped(drop_fd) int out = -1;
	int r;

	if (in < 0)
		return in;
	out = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0)
		return -errno;
	r = copy_data(in, out, from->st.st_size);
	if (r == 0)
		r = copy_attrs(in, out, &how);
	return r == 0 ? copy_capability(in, out) : r;
}

int unpack_copy_file(struct unpack *u, struct unpack_dir *dir, const char *name,
		     const struct unpack_lower *from, struct aisbx_error *e)
{
	struct copy_how how = { .owners = u->can_chown };
	int fd = unpack_dir_fd(u, dir, e), r;

	if (fd < 0)
		return fd;
	if (S_ISREG(from->st.st_mode)) {
		u->bytes += (uint64_t)from->st.st_size;
		r = u->bytes > u->max_bytes ? -EFBIG : copy_regular(u, from, fd, name);
	} else if (S_ISLNK(from->st.st_mode)) {
		r = copy_link(from->fd, "", fd, name, &how);
	} else {
		r = -EOPNOTSUPP;
	}
	return r < 0 ? unpack_fail(e, -r, "copy from a layer below", name) : 0;
}
