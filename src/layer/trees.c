/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the trees of a layer below one root, and back. */
#include "layer/trees.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "layer/layer.h"
#include "sys/owner.h"

#define HASH_LEN 16u /* of a name that layer_tree_name made of a path */

static bool is_hashed(const char *name, char kind)
{
	return name[0] == kind && strlen(name) == HASH_LEN + 1 &&
	       strspn(name + 1, "0123456789abcdef") == HASH_LEN;
}

static bool is_of_home(const char *name)
{
	return !strcmp(name, "home") || is_hashed(name, 'c');
}

static int open_dir(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int list(int at, struct strlist *ret)
{
	int r = 0;
	scoped(drop_dir) DIR *dir = dir_take(open_dir(at, "."), &r);
	struct dirent *entry;

	while (dir && r == 0 && (entry = dir_next(dir, &r)))
		strlist_add(ret, entry->d_name);
	return r < 0 ? r : ret->failed ? -ENOMEM : 0;
}

/* Two directories of a layer: the layer itself, and the tree in it that holds all. */
struct place {
	int layer, all;
};

static void place_close(struct place *p)
{
	close_fd(&p->layer);
	close_fd(&p->all);
}

static int place_open(const char *dir, const char *id, bool make, uint32_t id_shift, struct place *ret)
{
	scoped(drop_mem) char *path = path_join(dir, id);
	scoped(drop_fd) int root = -1;

	ret->layer = path ? open_dir(AT_FDCWD, path) : -ENOMEM;
	if (ret->layer < 0)
		return ret->layer;
	if (make && mkdirat(ret->layer, "root", 0711) < 0)
		return -errno;
	root = open_dir(ret->layer, "root");
	if (root < 0)
		return root;
	if (make && mkdirat(root, "up", 0755) < 0)
		return -errno;
	ret->all = open_dir(root, "up");
	if (ret->all < 0)
		return ret->all;
	return make && (fchmod(ret->all, 0755) < 0 || (id_shift && fchown(ret->all, id_shift, id_shift) < 0))
		       ? -errno
		       : 0;
}

/* NAME/up of the layer becomes NAME below the one tree. */
static int take_in(const struct place *p, const char *name, bool *ret_system)
{
	scoped(drop_fd) int tree = open_dir(p->layer, name);
	int r;

	if (tree == -ENOTDIR)
		return 0;
	if (tree < 0)
		return tree;
	r = sys_own_renameat2(tree, "up", p->all, name, 0); /* a box may have made it unwritable */
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	*ret_system |= !is_of_home(name);
	return 0;
}

int layer_gather(const char *dir, const char *id, uint32_t id_shift, bool *ret_system, struct aisbx_error *e)
{
	scoped(place_close) struct place p = { -1, -1 };
	scoped(strlist_finish) struct strlist names = { 0 };
	int r = place_open(dir, id, true, id_shift, &p);

	*ret_system = false;
	if (r == 0)
		r = list(p.layer, &names);
	for (size_t i = 0; r == 0 && i < names.n; i++)
		if (is_of_home(names.items[i]) || is_hashed(names.items[i], 'm'))
			r = take_in(&p, names.items[i], ret_system);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "put the trees of a layer together") : 0;
}

static int check_name(int all, const char *name, bool system, struct aisbx_error *e)
{
	struct stat st;

	if (fstatat(all, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "look at '%.40s'", name);
	if (!S_ISDIR(st.st_mode) || !(is_of_home(name) || is_hashed(name, 'm')))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_LAYER, EBADMSG,
				    "the template has '%.40s', which is no directory of changes", name);
	if (!system && !is_of_home(name))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_LAYER, EBADMSG,
				    "the template has changes of the system, and its label says that it has "
				    "none");
	return 0;
}

static int take_out(const struct place *p, const char *name)
{
	scoped(drop_fd) int tree = -1;

	if (mkdirat(p->layer, name, 0711) < 0)
		return -errno;
	tree = open_dir(p->layer, name);
	if (tree < 0)
		return tree;
	return sys_own_renameat2(p->all, name, tree, "up", 0);
}

int layer_spread(const char *dir, const char *id, bool system, struct aisbx_error *e)
{
	scoped(place_close) struct place p = { -1, -1 };
	scoped(strlist_finish) struct strlist names = { 0 };
	int r = place_open(dir, id, false, 0, &p);

	if (r == 0)
		r = list(p.all, &names);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "read the trees of a template");
	for (size_t i = 0; r == 0 && i < names.n; i++)
		r = check_name(p.all, names.items[i], system, e);
	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < names.n; i++)
		r = take_out(&p, names.items[i]);
	if (r == 0)
		r = layer_remove_at(p.layer, "root");
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "take the trees of a template apart") : 0;
}
