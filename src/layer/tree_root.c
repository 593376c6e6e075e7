/* SPDX-License-Identifier: Apache-2.0 */
/* openat2 with all restrictions, and one directory remembered: siblings usually follow each other. */
#include "layer/tree_root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "layer/copy.h"
#include "sys/owner.h"

#define RESOLVE (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)

int tree_root_open(const char *path, struct tree_root *ret, struct aisbx_error *e)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "open '%s'", path);
	*ret = (struct tree_root){ .root = fd, .fd = -1 };
	return 0;
}

void tree_root_forget(struct tree_root *p)
{
	close_fd(&p->fd);
	free(p->parent);
	p->parent = NULL;
}

void tree_root_close(struct tree_root *p)
{
	tree_root_forget(p);
	close_fd(&p->root);
}

int tree_root_parent(struct tree_root *p, const char *rel, const char **ret_name)
{
	const char *slash = strrchr(rel, '/');
	size_t n = slash ? (size_t)(slash - rel) : 0;
	scoped(drop_mem) char *parent = NULL;
	int fd;

	*ret_name = slash ? slash + 1 : *rel ? rel : ".";
	if (!strcmp(*ret_name, "..") ||
	    (slash && (!slash[1] || !strcmp(slash + 1, ".")))) /* the last part is no directory's way out */
		return -EXDEV;
	if (!slash)
		return p->root;
	if (p->parent && !strncmp(p->parent, rel, n) && !p->parent[n])
		return p->fd;
	parent = strndup(rel, n);
	if (!parent)
		return -ENOMEM;
	fd = sys_own_openat2(p->root, parent, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE);
	if (fd < 0)
		return fd;
	tree_root_forget(p);
	p->fd = fd;
	p->parent = take_mem(&parent);
	return fd;
}

int tree_root_stat(struct tree_root *p, const char *rel, struct stat *ret)
{
	const char *name;
	int fd = tree_root_parent(p, rel, &name);

	if (copy_is_gone(fd)) /* a link on the way is not this tree's */
		return 0;
	if (fd < 0)
		return fd;
	fd = sys_own_lstatat(fd, name, ret);
	return fd == 0 ? 1 : fd == -ENOENT ? 0 : fd;
}
