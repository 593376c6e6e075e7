/* SPDX-License-Identifier: Apache-2.0 */
/* Reading extended attributes by a directory and a name, for which older kernels have no call: via /proc. */
#include "fleet/content/walk_attr.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "base/error.h"
#include "base/scope.h"

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct content_xattr *)a)->name, ((const struct content_xattr *)b)->name);
}

static bool is_local(const char *name)
{
	return !strncmp(name, "user.overlay.", 13) || !strncmp(name, "trusted.overlay.", 16) ||
	       !strcmp(name, "security.selinux");
}

static int add_one(const char *path, const char *name, struct content_entry *n)
{
	scoped(drop_mem) char *value = malloc(CONTENT_VALUE_MOST);
	ssize_t len = value ? lgetxattr(path, name, value, CONTENT_VALUE_MOST) : -1;

	if (!value)
		return -ENOMEM;
	if (len < 0)
		return errno == ENODATA ? 0 : -errno;
	return content_entry_add_xattr(n, name, value, (size_t)len);
}

int content_walk_xattrs(int dir, const char *name, struct content_entry *n, uint64_t *left_out,
			struct aisbx_error *e)
{
	char path[NAME_MAX + 64], names[XATTR_LIST_MAX];
	ssize_t len;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir, name);
	len = llistxattr(path, names, sizeof(names));
	if (len < 0 && (errno == EOPNOTSUPP || errno == ENOENT))
		return 0;
	if (len < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "list the attributes of '%.300s'", n->path);
	for (const char *at = names; r == 0 && at < names + len; at += strlen(at) + 1) {
		if (content_xattr_travels(at) && n->n_xattrs < CONTENT_XATTRS_MOST)
			r = add_one(path, at, n);
		else
			*left_out += !is_local(at);
	}
	if (n->n_xattrs)
		qsort(n->xattrs, n->n_xattrs, sizeof(*n->xattrs), compare);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "read the attributes of '%.300s'", n->path) : 0;
}
