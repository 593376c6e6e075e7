/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what a box could have written, so nothing here is believed: an owner that is none is 0:0. Attributes
 * of overlayfs and of aisbx stay behind, and all of those that only mean something on this machine.
 */
#include "helpers/image/pack_attr.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include <linux/capability.h>
#include <linux/limits.h>

#include "base/scope.h"
#include "image/wire.h"
#include "layer/copy.h"

#define NOBODY    65534u
#define IDS_COUNT 65536u /* of a shifted box */
#define NO_ID     UINT32_MAX

void pack_attrs_finish(struct pack_attrs *a)
{
	for (size_t i = 0; i < a->n_xattrs; i++) {
		free((void *)a->xattrs[i].name);
		free((void *)a->xattrs[i].value);
	}
	free(a->xattrs);
	*a = (struct pack_attrs){ 0 };
}

/* The digits at *AT up to END or a ':', which is passed. */
static bool read_number(const char **at, const char *end, unsigned int base, uint64_t most, uint64_t *ret)
{
	uint64_t value = 0;
	const char *c = *at;

	for (; c < end && *c != ':'; c++) {
		if (*c < '0' || *c >= (char)('0' + base) || (base == 10 && c > *at && !value))
			return false;
		value = value * base + (uint64_t)(*c - '0');
		if (value > most)
			return false;
	}
	if (c == *at)
		return false;
	*ret = value;
	*at = c < end ? c + 1 : c;
	return true;
}

int pack_owner_parse(const char *text, size_t len, uint32_t *uid, uint32_t *gid, mode_t *mode)
{
	const char *at = text, *end = text + len;
	uint64_t u, g, m = 0;
	bool with_mode;

	if (!read_number(&at, end, 10, NO_ID - 1, &u) || at == end ||
	    !read_number(&at, end, 10, NO_ID - 1, &g))
		return -EINVAL;
	with_mode = at < end;
	if ((with_mode && !read_number(&at, end, 8, 07777, &m)) || at < end || (len && end[-1] == ':'))
		return -EINVAL;
	*uid = (uint32_t)u;
	*gid = (uint32_t)g;
	if (with_mode)
		*mode = (mode_t)m;
	return 0;
}

static uint32_t id_of_image(uint32_t id, uint32_t shift)
{
	if (!shift)
		return id;
	return id >= shift && id - shift < IDS_COUNT ? id - shift : NOBODY;
}

/* What the attribute says, where the owner on disk could not be that of the image. */
static void believe_note(const char *text, size_t len, const struct pack_ids *ids, struct pack_attrs *a)
{
	const mode_t special = S_ISUID | S_ISGID;
	uint32_t uid, gid;
	mode_t mode = a->mode;

	if (pack_owner_parse(text, len, &uid, &gid, &mode) < 0)
		return;
	if (ids->one_id || a->uid == NOBODY)
		a->uid = uid;
	if (ids->one_id || a->gid == NOBODY)
		a->gid = gid;
	/* Taken away when it was unpacked, unless the box gave it other permissions or another owner since.
	 */
	if ((ids->one_id || (ids->sub && a->uid == uid && a->gid == gid)) &&
	    (mode & ~special) == (a->mode & ~special))
		a->mode = mode;
}

static void read_owner(int fd, const struct stat *st, const struct pack_ids *ids, struct pack_attrs *a)
{
	char text[64];
	ssize_t n;

	a->mode = st->st_mode & 07777;
	a->uid = ids->one_id ? 0 : id_of_image(st->st_uid, ids->shift);
	a->gid = ids->one_id ? 0 : id_of_image(st->st_gid, ids->shift);
	n = fd >= 0 && (ids->one_id || ids->shift || ids->sub)
		    ? copy_getxattr(fd, IMAGE_OWNER_XATTR, text, sizeof(text))
		    : 0;
	if (n > 0)
		believe_note(text, (size_t)n, ids, a);
}

enum xattr_kind { XATTR_LEFT, XATTR_PLAIN, XATTR_ACL, XATTR_CAPABILITY };

static enum xattr_kind kind_of(const char *name)
{
	if (!strncmp(name, "user.", 5))
		return !strncmp(name, "user.overlay.", 13) || !strncmp(name, "user.aisbx.", 11) ? XATTR_LEFT
												: XATTR_PLAIN;
	if (!strcmp(name, "system.posix_acl_access") || !strcmp(name, "system.posix_acl_default"))
		return XATTR_ACL;
	return strcmp(name, "security.capability") ? XATTR_LEFT : XATTR_CAPABILITY;
}

/* Of a capability of one user namespace, the capability as such; false: it is another one's. */
static bool free_capability(char *value, size_t *len, const struct pack_ids *ids)
{
	uint32_t magic, root;

	if (*len < sizeof(struct vfs_cap_data))
		return false;
	memcpy(&magic, value, sizeof(magic));
	magic = le32toh(magic);
	if ((magic & VFS_CAP_REVISION_MASK) != VFS_CAP_REVISION_3)
		return true;
	if (*len < sizeof(struct vfs_ns_cap_data))
		return false;
	memcpy(&root, value + offsetof(struct vfs_ns_cap_data, rootid), sizeof(root));
	if (!ids->one_id && le32toh(root) != ids->shift)
		return false;
	magic = htole32((magic & VFS_CAP_FLAGS_MASK) | VFS_CAP_REVISION_2);
	memcpy(value, &magic, sizeof(magic));
	*len = sizeof(struct vfs_cap_data);
	return true;
}

/* Takes over VALUE. */
static int add_xattr(struct pack_attrs *a, const char *name, char *value, size_t len)
{
	struct tar_xattr *grown = realloc(a->xattrs, (a->n_xattrs + 1) * sizeof(*grown));
	char *copy = strdup(name);

	if (grown)
		a->xattrs = grown;
	if (!grown || !copy) {
		free(copy);
		free(value);
		return -ENOMEM;
	}
	a->xattrs[a->n_xattrs++] = (struct tar_xattr){ copy, value, len };
	return 0;
}

static int read_xattr(int fd, const char *name, const struct pack_ids *ids, struct pack_attrs *a)
{
	enum xattr_kind kind = kind_of(name);
	scoped(drop_mem) char *value = NULL;
	ssize_t n;
	size_t len;

	if (kind == XATTR_LEFT)
		return 0;
	if (strchr(name, '=')) {
		a->left_out++;
		return 0;
	}
	n = copy_getxattr(fd, name, NULL, 0);
	value = n < 0 ? NULL : malloc((size_t)n + 1);
	if (n < 0 || !value)
		return n < 0 ? (int)n : -ENOMEM;
	n = copy_getxattr(fd, name, value, (size_t)n + 1);
	if (n < 0)
		return (int)n;
	len = (size_t)n;
	if (kind == XATTR_ACL)
		copy_shift_acl(value, len, -(int64_t)ids->shift);
	if (kind == XATTR_CAPABILITY && !free_capability(value, &len, ids)) {
		a->left_out++;
		return 0;
	}
	return add_xattr(a, name, take_mem(&value), len);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tar_xattr *)a)->name, ((const struct tar_xattr *)b)->name);
}

static int read_xattrs(int fd, const struct pack_ids *ids, struct pack_attrs *a)
{
	char small[1024];
	scoped(drop_mem) char *large = NULL;
	const char *names = small;
	ssize_t n = flistxattr(fd, small, sizeof(small));
	int r = 0;

	if (n < 0 && errno == ERANGE) {
		names = large = malloc(XATTR_LIST_MAX);
		n = large ? flistxattr(fd, large, XATTR_LIST_MAX) : -1;
	}
	if (n < 0)
		return errno == EOPNOTSUPP ? 0 : -errno;
	for (const char *name = names; r == 0 && name < names + n; name += strlen(name) + 1)
		r = read_xattr(fd, name, ids, a);
	if (a->n_xattrs)
		qsort(a->xattrs, a->n_xattrs, sizeof(*a->xattrs), by_name);
	return r;
}

int pack_attrs_read(int fd, const struct stat *st, const struct pack_ids *ids, struct pack_attrs *ret)
{
	struct pack_attrs a = { 0 };
	int r;

	read_owner(fd, st, ids, &a);
	r = fd >= 0 ? read_xattrs(fd, ids, &a) : 0;
	if (r < 0) {
		pack_attrs_finish(&a);
		return r;
	}
	*ret = a;
	return 0;
}
