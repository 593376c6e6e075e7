/* SPDX-License-Identifier: Apache-2.0 */
/* Copying one file: content, holes, owner, mode, extended attributes, times. */
#include "layer/copy.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/scope.h"
#include "sys/group.h"
#include "sys/owner.h"

int copy_open(int at, const char *name)
{
	return sys_own_openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

ssize_t copy_readlink(int at, const char *name, char *ret, size_t cap)
{
	return sys_own_readlinkat(at, name, ret, cap);
}

ssize_t copy_getxattr(int fd, const char *name, void *ret, size_t cap)
{
	return sys_own_fgetxattr(fd, name, ret, cap);
}

static int copy_span(int from, int to, off_t at, off_t end)
{
	char chunk[65536];

	while (at < end) {
		size_t want = (size_t)(end - at);
		off_t in = at, out = at;
		ssize_t n = copy_file_range(from, &in, to, &out, want, 0);

		if (n < 0 && errno != EINTR) {
			n = pread(from, chunk, want < sizeof(chunk) ? want : sizeof(chunk), at);
			if (n > 0)
				n = pwrite(to, chunk, (size_t)n, at);
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0) /* it became shorter while we read */
			return -EBUSY;
		at += n;
	}
	return 0;
}

int copy_data(int from, int to, off_t size)
{
	off_t at = 0;

	if (size == 0)
		return 0;
	if (size > 65536 && ioctl(to, FICLONE, from) == 0) /* not worth a call for what is small */
		return 0;
	while (at < size) {
		off_t data = size <= 65536 ? at : lseek(from, at, SEEK_DATA), hole;
		int r;

		if (data < 0 && errno == ENXIO) /* a hole to the end */
			break;
		if (data < 0)
			data = at;
		hole = size <= 65536 ? size : lseek(from, data, SEEK_HOLE);
		if (hole < 0 || hole > size)
			hole = size;
		r = copy_span(from, to, data, hole);
		if (r < 0)
			return r;
		at = hole;
	}
	return size > 65536 && ftruncate(to, size) < 0 ? -errno : 0;
}

bool copy_takes_xattr(const char *name, bool overlay)
{
	if (!strncmp(name, "user.overlay.", 13))
		return overlay;
	return !strncmp(name, "user.", 5) || !strcmp(name, "system.posix_acl_access") ||
	       !strcmp(name, "system.posix_acl_default");
}

/* The version, then entries of tag, permissions and id: the ids of named users and groups move with the
 * owners. */
void copy_shift_acl(char *value, size_t len, int64_t delta)
{
	const uint16_t user = 0x02, group = 0x08;

	for (size_t at = 4; delta && at + 8 <= len; at += 8) {
		uint16_t tag;
		uint32_t id;

		memcpy(&tag, value + at, sizeof(tag));
		memcpy(&id, value + at + 4, sizeof(id));
		if (le16toh(tag) != user && le16toh(tag) != group)
			continue;
		id = htole32((uint32_t)(le32toh(id) + delta));
		memcpy(value + at + 4, &id, sizeof(id));
	}
}

/* Names of FD, one after the other; heap. */
static ssize_t list_xattrs(int fd, char **ret)
{
	char small[1024];
	ssize_t n = flistxattr(fd, small, sizeof(small));

	*ret = NULL;
	if (n < 0 && errno == ERANGE)
		n = XATTR_LIST_MAX;
	if (n < 0)
		return errno == EOPNOTSUPP ? 0 : -errno;
	if (n == 0)
		return 0;
	*ret = malloc((size_t)n);
	if (!*ret)
		return -ENOMEM;
	if (n <= (ssize_t)sizeof(small)) {
		memcpy(*ret, small, (size_t)n);
		return n;
	}
	n = flistxattr(fd, *ret, (size_t)n);
	return n < 0 ? -errno : n;
}

/* Heap; NULL with a negative errno. */
static ssize_t get_xattr(int fd, const char *name, int64_t delta, char **ret)
{
	ssize_t n = sys_own_fgetxattr(fd, name, NULL, 0);

	*ret = n < 0 ? NULL : malloc((size_t)n + 1);
	if (n < 0)
		return n;
	if (!*ret)
		return -ENOMEM;
	n = sys_own_fgetxattr(fd, name, *ret, (size_t)n + 1);
	if (n < 0)
		return n;
	if (!strncmp(name, "system.posix_acl_", 17))
		copy_shift_acl(*ret, (size_t)n, delta);
	return n;
}

/* Removes what TO has too much. */
static int drop_xattrs(int from, int to, bool overlay)
{
	scoped(drop_mem) char *names = NULL;
	ssize_t n = list_xattrs(to, &names);
	int r;

	for (const char *name = names; n > 0 && name < names + n; name += strlen(name) + 1) {
		if (!copy_takes_xattr(name, overlay))
			continue;
		r = (int)sys_own_fgetxattr(from, name, NULL, 0);
		if (r >= 0)
			continue;
		if (r != -ENODATA)
			return r;
		r = sys_own_fremovexattr(to, name);
		if (r < 0)
			return r;
	}
	return n < 0 ? (int)n : 0;
}

static int copy_xattrs(int from, int to, const struct copy_how *how)
{
	scoped(drop_mem) char *names = NULL;
	ssize_t n = list_xattrs(from, &names);

	for (const char *name = names; n > 0 && name < names + n; name += strlen(name) + 1) {
		scoped(drop_mem) char *value = NULL;
		ssize_t len;

		if (!copy_takes_xattr(name, how->overlay))
			continue;
		len = get_xattr(from, name, how->id_delta, &value);
		if (len < 0)
			return (int)len;
		len = sys_own_fsetxattr(to, name, value, (size_t)len); /* wants the permission to write */
		if (len < 0)
			return (int)len;
	}
	return n < 0 ? (int)n : drop_xattrs(from, to, how->overlay);
}

static uint64_t hash(uint64_t h, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)data[i]) *
		    0x100000001b3ULL; /* FNV-1a: tells changes, keeps no secret */
	return h;
}

int copy_xattr_sum(int fd, int64_t id_delta, uint64_t *ret)
{
	scoped(drop_mem) char *names = NULL;
	ssize_t n = list_xattrs(fd, &names);

	*ret = 0; /* a sum of hashes: the order of names means nothing */
	for (const char *name = names; n > 0 && name < names + n; name += strlen(name) + 1) {
		scoped(drop_mem) char *value = NULL;
		ssize_t len;

		if (!copy_takes_xattr(name, false))
			continue;
		len = get_xattr(fd, name, id_delta, &value);
		if (len < 0)
			return (int)len;
		*ret += hash(hash(0xcbf29ce484222325ULL, name, strlen(name) + 1), value, (size_t)len);
	}
	return n < 0 ? (int)n : 0;
}

/* An ordinary user gives his files to groups he is in, and to no other. */
static int give_group(int fd, gid_t group)
{
	struct stat st;

	if (geteuid() == 0 || fstat(fd, &st) < 0 || st.st_gid == group || !sys_in_group(group))
		return 0;
	return fchown(fd, (uid_t)-1, group) < 0 ? -errno : 0;
}

static int give_owner(int fd, const struct stat *st, const struct copy_how *how)
{
	if (!how->owners)
		return give_group(fd, how->group ? how->group : st->st_gid);
	return fchown(fd, (uid_t)(st->st_uid + how->id_delta), (gid_t)(st->st_gid + how->id_delta)) < 0
		       ? -errno
		       : 0;
}

int copy_attrs(int from, int to, const struct copy_how *how)
{
	bool mode = !(how->leave & COPY_MODE);
	struct stat st;
	int r = 0;

	if (fstat(from, &st) < 0)
		return -errno;
	if (mode)
		r = give_owner(to, &st, how);
	if (r == 0 && !(how->leave & COPY_XATTR))
		r = copy_xattrs(from, to, how); /* while the mode still lets us */
	if (r == 0 && mode && fchmod(to, st.st_mode & 07777) < 0)
		r = -errno;
	if (r == 0 && !(how->leave & COPY_TIME) &&
	    futimens(to, (struct timespec[]){ st.st_atim, st.st_mtim }) < 0)
		r = -errno;
	return r;
}

int copy_link(int from_at, const char *from, int at, const char *name, const struct copy_how *how)
{
	char target[PATH_MAX];
	struct stat st;
	ssize_t n = copy_readlink(from_at, from, target, sizeof(target) - 1);
	int r = n < 0 ? (int)n : sys_own_lstatat(from_at, from, &st);

	if (r < 0)
		return r;
	target[n] = '\0';
	if (symlinkat(target, at, name) < 0)
		return -errno;
	if (how->owners && fchownat(at, name, (uid_t)(st.st_uid + how->id_delta),
				    (gid_t)(st.st_gid + how->id_delta), AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!how->owners && geteuid() != 0 && sys_in_group(how->group ? how->group : st.st_gid) &&
	    fchownat(at, name, (uid_t)-1, how->group ? how->group : st.st_gid, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return utimensat(at, name, (struct timespec[]){ st.st_atim, st.st_mtim }, AT_SYMLINK_NOFOLLOW) < 0
		       ? -errno
		       : 0;
}
