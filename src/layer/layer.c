/* SPDX-License-Identifier: Apache-2.0 */
/* Directories of layers: making, naming, removing. Knows nothing of their contents. */
#include "layer/layer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/meter.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/quota.h"
#include "layer/unsynced.h"
#include "sys/group.h"
#include "sys/owner.h"

/* Names of removed layers begin with this until they are gone. */
#define DEAD ".dead-"

void layer_tree_name(const char *guest, const char *project, char *ret_name, size_t cap)
{
	uint64_t hash = 0xcbf29ce484222325ULL; /* FNV-1a: short names for a handful of mount points */

	if (project && !strcmp(guest, project)) {
		snprintf(ret_name, cap, "project");
		return;
	}
	if (!strcmp(guest, "/")) {
		snprintf(ret_name, cap, "root");
		return;
	}
	if (!strcmp(guest, "~")) {
		snprintf(ret_name, cap, "home");
		return;
	}
	for (const char *p = guest; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3ULL;
	snprintf(ret_name, cap, "%c%016llx", *guest == '~' ? 'c' : 'm', (unsigned long long)hash);
}

int layer_make(const char *dir, const char *id, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(dir, id);

	if (!path)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "make a layer");
	/* Passable: a box's root is not the host's, and reaches its own directories through these. */
	if (mkdir(dir, 0711) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "make '%s'", dir);
	if (mkdir(path, 0711) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "make layer '%s'", path);
	return 0;
}

/* Attributes of what the top layer of a tree lies on: the next layer that has the tree, or the host. */
static int covered(const char *dir, const char *const *ids, size_t n_ids, const char *tree, const char *host,
		   uint32_t id_shift, struct stat *ret_st)
{
	for (size_t i = 1; i < n_ids; i++) {
		scoped(drop_mem) char *path = NULL;

		if (asprintf(&path, "%s/%s/%s/up", dir, ids[i], tree) < 0)
			return -ENOMEM;
		if (stat(path, ret_st) == 0)
			return 0; /* its ids are shifted already */
	}
	if (!host)
		*ret_st = (struct stat){ .st_mode = S_IFDIR | 0700, .st_gid = id_shift ? 0 : getegid() };
	else if (stat(host, ret_st) < 0)
		return -errno;
	ret_st->st_uid += id_shift;
	ret_st->st_gid += id_shift;
	return 0;
}

/* Owners only root can give; as somebody else everything of a box is one's own. */
static int make_owned(int at, const char *name, const struct stat *owner, mode_t mode, bool give)
{
	if (mkdirat(at, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	if (give && fchownat(at, name, owner->st_uid, owner->st_gid, 0) < 0)
		return -errno;
	/* A group that the box knows goes on to what is made there; one that it does not would let nothing be
	 * made. */
	if (!give && owner->st_gid != getegid() && sys_in_group(owner->st_gid) &&
	    sys_may_map_group(owner->st_gid) && fchownat(at, name, (uid_t)-1, owner->st_gid, 0) < 0)
		return -errno;
	return fchmodat(at, name, mode & 07777, 0) < 0 ? -errno : 0;
}

static int has_entries(int at, const char *name, const char *const *but);

/* Before overlayfs puts anything into them. */
static void claim(int tree, const char *id)
{
	scoped(drop_fd) int layer = openat(tree, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scoped(drop_fd) int up = openat(tree, "up", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	scoped(drop_fd) int work = openat(tree, ".work", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	/* What was filled in another way, by a fold or a combination, is nobody's project and stays so. */
	if (layer < 0 || up < 0 || work < 0 || has_entries(tree, "up", NULL) != 0)
		return;
	quota_claim(layer, id, up);
	quota_claim(layer, id, work);
}

static int make_top(const char *dir, const char *const *ids, size_t n_ids, const char *tree, const char *host,
		    uint32_t id_shift)
{
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int fd = -1;
	struct stat st;
	int r;

	if (asprintf(&path, "%s/%s/%s", dir, ids[0], tree) < 0)
		return -ENOMEM;
	if (mkdir(path, 0711) < 0 && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (faccessat(fd, "work", F_OK, 0) == 0) { /* it comes last, and whole */
		unsynced_drop_marker(fd);
		return 0;
	}
	r = covered(dir, ids, n_ids, tree, host, id_shift, &st);
	if (r == 0)
		r = make_owned(fd, "up", &st, st.st_mode, id_shift != 0);
	if (r == 0)
		r = make_owned(fd, ".work", &st, 0700, id_shift != 0);
	if (r == 0 && id_shift)
		claim(fd, ids[0]);
	if (r == 0 && renameat(fd, ".work", fd, "work") < 0)
		r = -errno;
	return r;
}

int layer_paths(const char *dir, const char *const *ids, size_t n_ids, const char *tree, const char *host,
		uint32_t id_shift, struct buf *ret_paths, struct aisbx_error *e)
{
	int r = make_top(dir, ids, n_ids, tree, host, id_shift);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "prepare layer '%s' for '%s'", ids[0],
				  host ? host : tree);
	buf_addf(ret_paths, "/%s/%s/up", ids[0], tree);
	buf_add(ret_paths, "", 1);
	buf_addf(ret_paths, "/%s/%s/work", ids[0], tree);
	buf_add(ret_paths, "", 1);
	for (size_t i = 1; i < n_ids; i++) {
		scoped(drop_mem) char *path = NULL;

		if (asprintf(&path, "%s/%s/%s/up", dir, ids[i], tree) < 0)
			return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "layers of '%s'", tree);
		if (access(path, F_OK) == 0)
			buf_add(ret_paths, path + strlen(dir), strlen(path) - strlen(dir) + 1);
	}
	return ret_paths->failed ? aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "layers of '%s'", tree) : 0;
}

/* Directories open at once while removing; what lies deeper is lifted to the top first. */
#define MAX_OPEN 48

struct removal {
	int top;             /* where lifted directories go */
	unsigned int lifted; /* how many so far */
};

static int remove_tree(struct removal *rm, int at, const char *name, int depth);

static int lift(struct removal *rm, int at, const char *name)
{
	char up[48];

	snprintf(up, sizeof(up), DEAD "%d-%u", (int)getpid(), rm->lifted++);
	fchmodat(at, name, 0700, 0); /* no link, unlinkat said so; moving a directory writes its ".." */
	if (renameat(at, name, rm->top, up) < 0)
		return errno == ENOENT ? 0 : -errno;
	return 0;
}

static int remove_below(struct removal *rm, int fd, int depth)
{
	int r = 0;
	scoped(drop_dir) DIR *dir = dir_take(fd, &r);
	struct dirent *entry;

	if (!dir)
		return r;
	fchmod(dirfd(dir), 0700);
	while (r == 0 && (entry = dir_next(dir, &r)))
		r = remove_tree(rm, dirfd(dir), entry->d_name, depth + 1);
	return r;
}

/* Overlayfs leaves directories without any permission. */
static int open_closed(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == EACCES && fchmodat(at, name, 0700, 0) == 0)
		fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd;
}

/* Everything below AT/NAME, and itself. Somebody else may be removing it too. */
static int remove_tree(struct removal *rm, int at, const char *name, int depth)
{
	int fd, r;

	meter_step(0);
	if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	if (unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	if (depth > MAX_OPEN)
		return lift(rm, at, name);
	fd = open_closed(at, name);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	r = remove_below(rm, fd, depth);
	if (r == 0 && unlinkat(at, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		r = -errno;
	return r;
}

/* What there is to remove, for who watches it; as far as it can be read. */
static void count_below(int at, const char *name, int depth)
{
	int fd = depth < MAX_OPEN ? openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1,
	    r = 0;
	scoped(drop_dir) DIR *dir = fd < 0 ? NULL : dir_take(fd, &r);
	struct dirent *entry;
	uint64_t n = 1;

	while (dir && r == 0 && (entry = dir_next(dir, &r))) {
		if (entry->d_type == DT_DIR)
			count_below(dirfd(dir), entry->d_name, depth + 1);
		else
			n++;
	}
	meter_more(n);
}

/* With what was lifted on the way. */
static int remove_own(int top, const char *name)
{
	scoped_meter bool meter = meter_begin("removing", 0);
	struct removal rm = { .top = top };
	unsigned int done = 0;
	char lifted[48];
	int r;

	if (meter_is_heard())
		count_below(top, name, 0);
	r = remove_tree(&rm, top, name, 0);

	while (r == 0 && done < rm.lifted) {
		snprintf(lifted, sizeof(lifted), DEAD "%d-%u", (int)getpid(), done++);
		r = remove_tree(&rm, top, lifted, 0);
	}
	return r;
}

struct removal_order {
	int top;
	const char *name;
};

static long remove_others(void *ctx)
{
	const struct removal_order *o = ctx;

	return remove_own(o->top, o->name);
}

/* Also what belongs to subordinate ids of ours, where nobody else has a right to remove it. */
static int remove_all(int top, const char *name)
{
	struct removal_order o = { top, name };
	int r = remove_own(top, name), again;

	if (r != -EACCES && r != -EPERM)
		return r;
	again = (int)sys_own_all(remove_others, &o);
	return again == -EOPNOTSUPP ? r : again;
}

int layer_remove_at(int at, const char *name)
{
	return remove_all(at, name);
}

int layer_remove(const char *dir, const char *id, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scoped(drop_mem) char *dead = NULL;
	int r;

	if (asprintf(&dead, DEAD "%s", id) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "remove layer '%s'", id);
	if (fd < 0)
		return errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, errno, "open '%s'", dir);
	if (renameat(fd, id, fd, dead) < 0)
		return errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, errno, "remove layer '%s'", id);
	r = remove_all(fd, dead);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "remove the rest of layer '%s'", id) : 0;
}

bool layer_mode_is_kept(const char *dir, const char *const *ids, size_t n_ids, const char *tree,
			const char *host)
{
	scoped(drop_mem) char *up = NULL;
	struct stat st, below;

	if (asprintf(&up, "%s/%s/%s/up", dir, ids[0], tree) < 0 || stat(up, &st) < 0)
		return true;
	return covered(dir, ids, n_ids, tree, host, 0, &below) < 0 || st.st_mode == below.st_mode;
}

static bool is_listed(const char *const *names, const char *name)
{
	for (; names && *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

/* 1 when it has, 0 when not, or is not there; negative errno. */
static int has_entries(int at, const char *name, const char *const *but)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), r = 0;
	scoped(drop_dir) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		r = errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
		drop_fd(&fd);
		return r;
	}
	while ((entry = dir_next(dir, &r)))
		if (!is_listed(but, entry->d_name))
			return 1;
	return r;
}

/* What TREE has anyway; NULL: nothing. */
static const char *const *given_to(const struct layer_given *given, const char *tree)
{
	for (; given && given->tree; given++)
		if (!strcmp(given->tree, tree))
			return given->names;
	return NULL;
}

int layer_is_empty(const char *dir, const char *id, const struct layer_given *given, bool *ret_empty,
		   struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(dir, id);
	scoped(drop_dir) DIR *layer = path ? opendir(path) : NULL;
	struct dirent *tree;
	int r = 0;

	if (!layer)
		return aisbx_fail(e, AISBX_AREA_LAYER, path ? errno : ENOMEM, "inspect layer '%s'", id);
	*ret_empty = true;
	while (r == 0 && (tree = dir_next(layer, &r))) {
		char up[NAME_MAX + 8];

		snprintf(up, sizeof(up), "%s/up", tree->d_name);
		r = has_entries(dirfd(layer), up, given_to(given, tree->d_name));
		if (r > 0) {
			*ret_empty = false;
			r = 0;
		}
	}
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "inspect layer '%s'", id) : 0;
}

/* Calls ACT for each entry of DIR that is, or is not, DEAD. */
static int each_layer(const char *dir, bool dead, int (*act)(void *ctx, int fd, const char *name), void *ctx,
		      struct aisbx_error *e)
{
	scoped(drop_dir) DIR *d = opendir(dir);
	struct dirent *entry;
	int r = 0;

	if (!d)
		return errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, errno, "list '%s'", dir);
	while (r == 0 && (entry = dir_next(d, &r))) {
		if (!strncmp(entry->d_name, DEAD, strlen(DEAD)) != dead)
			continue;
		r = act(ctx, dirfd(d), entry->d_name);
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_LAYER, -r, "remove '%s/%s'", dir, entry->d_name);
	}
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "list '%s'", dir) : 0;
}

struct burial {
	bool (*keep)(void *ctx, const char *id);
	void *ctx;
};

static int bury(void *ctx, int fd, const char *name)
{
	const struct burial *b = ctx;
	char dead[NAME_MAX + 8];

	if (b->keep(b->ctx, name))
		return 0;
	snprintf(dead, sizeof(dead), DEAD "%s", name);
	return renameat(fd, name, fd, dead) < 0 && errno != ENOENT ? -errno : 0;
}

int layer_bury(const char *dir, bool (*keep)(void *ctx, const char *id), void *ctx, struct aisbx_error *e)
{
	struct burial b = { keep, ctx };

	return each_layer(dir, false, bury, &b, e);
}

static int clear(void *ctx, int fd, const char *name)
{
	(*(size_t *)ctx)++;
	return remove_all(fd, name);
}

int layer_sweep(const char *dir, size_t *ret_n, struct aisbx_error *e)
{
	*ret_n = 0;
	return each_layer(dir, true, clear, ret_n, e);
}
