/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owner, mode, extended attributes and times of what a layer brings. Attributes with which it could pose as
 * something of ours or of overlayfs are left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/owner.h"
#include "helpers/image/unpack.h"
#include "image/wire.h"

#define DEFAULT_ACL "system.posix_acl_default"

static struct owner owner_for(struct unpack *u, const struct tar_entry *t)
{
	struct owner o = owner_of(t->uid, t->gid, t->mode, t->type == '5', u->id_shift, u->ids);

	u->told.setuid += o.mode != t->mode;
	return o;
}

static bool must_chown(const struct unpack *u, const struct owner *o)
{
	return u->can_chown && (u->inherits || o->uid != u->uid || o->gid != u->gid);
}

static int give(struct unpack *u, int fd, const struct owner *o)
{
	if (!must_chown(u, o))
		return 0;
	return fchown(fd, o->uid, o->gid) < 0 ? -errno : 0;
}

static int note_owner(int fd, const struct owner *o)
{
	return *o->note && fsetxattr(fd, IMAGE_OWNER_XATTR, o->note, strlen(o->note), 0) < 0 ? -errno : 0;
}

/* 1: set; 0: cannot be here, which is told; negative. */
static int set_xattr(struct unpack *u, int fd, struct unpack_dir *d, const struct tar_xattr *x)
{
	scoped(drop_mem) char *value = malloc(x->len + XATTR_MORE);
	size_t len = x->len;
	int r;

	if (!value)
		return -ENOMEM;
	memcpy(value, x->value, len);
	if (!xattr_fits(x->name, value, &len, u->id_shift, u->ids, u->can_always))
		return 0;
	if (d && !strcmp(x->name, DEFAULT_ACL)) {
		free(d->acl);
		d->acl = take_mem(&value);
		d->acl_len = len;
		return 1;
	}
	r = fsetxattr(fd, x->name, value, len, 0) < 0 ? -errno : 1;
	return r == -EOPNOTSUPP || r == -EPERM ? 0 : r;
}

static int set_xattrs(struct unpack *u, int fd, struct unpack_dir *d, const struct tar_entry *t)
{
	for (size_t i = 0; i < t->n_xattrs; i++) {
		int r = set_xattr(u, fd, d, &t->xattrs[i]);

		if (r < 0)
			return r;
		u->told.xattrs += r == 0;
		if (d)
			d->xattrs = true;
	}
	return 0;
}

int unpack_set_file(struct unpack *u, int fd, const struct tar_entry *t, struct aisbx_error *e)
{
	struct owner o = owner_for(u, t);
	int r = give(u, fd, &o);

	if (r == 0)
		r = note_owner(fd, &o);
	if (r == 0)
		r = set_xattrs(u, fd, NULL, t);
	if (r == 0 && ((o.mode & 07000) || !u->can_always) && fchmod(fd, o.mode) < 0)
		r = -errno;
	if (r == 0 && futimens(fd, (struct timespec[]){ t->atime, t->mtime }) < 0)
		r = -errno;
	return r < 0 ? unpack_fail(e, -r, "set the attributes of", t->path) : 0;
}

/* A directory comes twice: of its earlier attributes nothing stays, except that it is opaque. */
static int clear_xattrs(int fd)
{
	char names[4096];
	ssize_t n = flistxattr(fd, names, sizeof(names));

	for (const char *name = names; n > 0 && name < names + n; name += strlen(name) + 1)
		if (strncmp(name, "user.overlay.", 13) != 0 && strncmp(name, "security.selinux", 16) != 0 &&
		    fremovexattr(fd, name) < 0 && errno != ENODATA && errno != EPERM)
			return -errno;
	return n < 0 && errno != EOPNOTSUPP ? -errno : 0;
}

int unpack_set_dir(struct unpack *u, struct unpack_dir *d, const struct tar_entry *t, struct aisbx_error *e)
{
	struct owner o = owner_for(u, t);
	int fd = unpack_dir_fd(u, d, e), r = 0;

	if (fd < 0)
		return fd;
	if (d->xattrs) {
		r = clear_xattrs(fd);
		free(d->acl);
		d->acl = NULL;
	}
	d->xattrs = *o.note;
	if (r == 0 && u->can_chown && fchown(fd, o.uid, o.gid) < 0)
		r = -errno;
	d->mode = o.mode;
	d->gid = u->can_chown ? o.gid : u->gid;
	d->mode_later = !u->can_always;
	if (r == 0 && fchmod(fd, d->mode_later ? o.mode | 0700 : o.mode) < 0)
		r = -errno;
	if (r == 0)
		r = note_owner(fd, &o);
	if (r == 0)
		r = set_xattrs(u, fd, d, t);
	d->times_later = true;
	d->times[0] = t->atime;
	d->times[1] = t->mtime;
	return r < 0 ? unpack_fail(e, -r, "set the attributes of", d->name) : 0;
}

int unpack_set_other(struct unpack *u, int dir_fd, const char *name, const struct tar_entry *t,
		     struct aisbx_error *e)
{
	struct owner o = owner_for(u, t);
	int r = 0;

	u->told.xattrs += t->n_xattrs;
	u->told.owners += *o.note != '\0';
	if (must_chown(u, &o) && fchownat(dir_fd, name, o.uid, o.gid, AT_SYMLINK_NOFOLLOW) < 0)
		r = -errno;
	if (r == 0 && t->type != '2' && (o.mode & 07000) && fchmodat(dir_fd, name, o.mode, 0) < 0)
		r = -errno;
	if (r == 0 &&
	    utimensat(dir_fd, name, (struct timespec[]){ t->atime, t->mtime }, AT_SYMLINK_NOFOLLOW) < 0)
		r = -errno;
	return r < 0 ? unpack_fail(e, -r, "set the attributes of", t->path) : 0;
}
