/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run whose changes are discarded, if the staging tmpfs cannot hold them: before Linux 6.6 no tmpfs
 * supports the xattrs of an overlay. They get a layer on disk without a row, locked during the run and
 * removed after it; what a killed run leaves is recognized by its missing lock.
 */
#include "box/scratch_layer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/private_dir.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/disk_use.h"
#include "layer/layer.h"
#include "run/ready_box.h"

struct scratch_run {
	char *dir; /* owned; what layers of this kind lie in */
	char id[STORE_ID_MAX];
	int lock;
	const char *project; /* borrowed */
	struct box_disk_use kept;
};

/* For a project that holds the state directory: a place that no box shows. Others can make
 * names there, too. */
#define SECOND "/var/tmp"
#define REMEDY "remove it if possible, or set XDG_STATE_HOME to a directory outside of the project"

static int open_dir(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The name that was made first, or with more behind it where somebody else has that one. */
static bool is_second(const char *name)
{
	char first[64];
	size_t n = (size_t)snprintf(first, sizeof(first), "aisbx-passing-%u", (unsigned int)geteuid());

	return !strncmp(name, first, n) && (!name[n] || name[n] == '-');
}

/* Those in SECOND that are ours; what others put beside them is passed by. */
static int add_seconds(struct strlist *ret, struct aisbx_error *e)
{
	int r = private_dir_check_shared(SECOND, REMEDY, e);
	scoped(drop_dir) DIR *d = r == 0 ? opendir(SECOND) : NULL;
	const struct dirent *entry;

	if (!d)
		return r < 0 ? r : aisbx_fail(e, AISBX_AREA_BOX, errno, "read '" SECOND "'");
	while ((entry = dir_next(d, &r))) {
		struct aisbx_error theirs = AISBX_ERROR_INIT;
		scoped(drop_fd) int fd =
			is_second(entry->d_name)
				? private_dir_open_at(dirfd(d), SECOND, entry->d_name, 0, &theirs)
				: -1;

		if (fd >= 0)
			strlist_addf(ret, SECOND "/%s", entry->d_name);
	}
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "read '" SECOND "'") : 0;
}

int box_scratch_layer_dirs(const char *state, struct strlist *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *first = path_join(state, "passing");
	scoped(drop_fd) int fd = first ? private_dir_open(first, REMEDY, e) : -ENOMEM;

	if (fd < 0 && fd != -ENOENT)
		return first ? fd : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find layers of runs");
	if (fd >= 0)
		strlist_add(ret, first);
	return add_seconds(ret, e);
}

/* A place in SECOND, made if there is none of ours. Heap, or NULL with E. */
static char *second_place(struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist there = { 0 };
	scoped(drop_mem) char *path = NULL;

	if (add_seconds(&there, e) < 0)
		return NULL;
	if (there.n)
		return strdup(there.items[0]);
	if (asprintf(&path, SECOND "/aisbx-passing-%u", (unsigned int)geteuid()) < 0 ||
	    mkdir(path, 0711) == 0)
		return take_mem(&path);
	free(path); /* somebody else has that name: one nobody can know before */
	if (asprintf(&path, SECOND "/aisbx-passing-%u-XXXXXX", (unsigned int)geteuid()) < 0)
		path = NULL;
	if (path && mkdtemp(path) && chmod(path, 0711) == 0)
		return take_mem(&path);
	aisbx_fail(e, AISBX_AREA_BOX, errno, "make a directory in '" SECOND "' for the changes of the run");
	return NULL;
}

/* In the state directory. Passable for the same reason as all layers, see layer_make; nobody can list it, and
 * ids are not to be guessed. */
static char *first_place(const char *state, const char *project, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(state, "passing");

	if (!path)
		aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a layer");
	else if (box_check_place(path, project, e) == 0 && mkdir(path, 0711) < 0 && errno != EEXIST)
		aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", path);
	return e->code ? NULL : take_mem(&path);
}
#define N_PLACES 2

/* A layer without a lock belongs to nobody, so between making and locking one no sweep may look. */
static int make_layer(struct scratch_run *p, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(p->dir, p->id);
	scoped(drop_fd) int dir = path ? private_dir_open(p->dir, REMEDY, e) : -ENOMEM;
	int r;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a layer");
	if (dir < 0)
		return dir == -ENOENT ? aisbx_fail(e, AISBX_AREA_BOX, ENOENT, "open '%s'", p->dir) : dir;
	if (flock(dir, LOCK_SH) <
	    0) /* ours, and closed to others: only another aisbx of ours holds it, for a moment */
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "store the changes of the run in '%s'", p->dir);
	/* The kernel would mount an overlay all the same, and every `rm -r` in it would fail. */
	if (fgetxattr(dir, "user.aisbx", NULL, 0) < 0 && errno == EOPNOTSUPP)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				    "the changes of a run can be stored neither in memory (which needs Linux "
				    "6.6 or later) nor in '%s', whose file system has no user xattrs; set "
				    "XDG_STATE_HOME to a directory on ext4, xfs or btrfs",
				    p->dir);
	r = layer_make(p->dir, p->id, e);
	if (r < 0)
		return r;
	p->lock = open_dir(path);
	if (p->lock >= 0 && flock(p->lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return aisbx_fail(e, AISBX_AREA_BOX, errno, "keep layer '%s'", path);
}

static int prepare(struct scratch_run *p, struct aisbx_error *e)
{
	scoped(drop_mem) char *state = box_state_dir(e);
	struct aisbx_error later;
	int r;

	if (!state)
		return e->code;
	r = store_make_dirs(state, e);
	if (r < 0)
		return r;
	box_new_id("p-", p->id);
	for (int i = 0; i < N_PLACES; i++) {
		struct aisbx_error *why =
			i ? &later : e; /* the first place is the one people can do something about */

		later = (struct aisbx_error)AISBX_ERROR_INIT;
		free(p->dir);
		p->dir = i ? second_place(why) : first_place(state, p->project, why);
		r = p->dir ? box_check_place(p->dir, p->project, why) : why->code;
		if (r == 0)
			r = make_layer(p, why);
		if (r == 0) {
			*e = (struct aisbx_error)AISBX_ERROR_INIT;
			return 0;
		}
	}
	return e->code;
}

static int layers_of(void *ctx, const char *guest, const char *host, struct buf *ret_paths,
		     struct aisbx_error *e)
{
	const struct scratch_run *p = ctx;
	const char *ids[] = { p->id };
	char tree[32];

	layer_tree_name(guest, p->project, tree, sizeof(tree));
	return layer_paths(p->dir, ids, 1, tree, host, driver_id_shift(), ret_paths, e);
}

static void starting(void *ctx)
{
	struct scratch_run *p = ctx;

	box_disk_use_hold(&p->kept);
}

static void scratch_layer_finish(struct scratch_run *p)
{
	struct aisbx_error ignored;

	if (p->lock >= 0) /* if this fails, gc tries again */
		layer_remove(p->dir, p->id, &ignored);
	close_fd(&p->lock);
	free(p->dir);
}

static int run_on_disk(const struct driver *driver, struct run_spec *spec, struct driver_result *ret_result,
		       struct aisbx_error *e)
{
	scoped(scratch_layer_finish) struct scratch_run p = { .lock = -1, .project = spec->walls.project };
	int r = prepare(&p, e);

	if (r < 0)
		return r;
	spec->hooks.layers = layers_of;
	spec->hooks.layers_dir = p.dir;
	spec->hooks.starting = starting;
	spec->hooks.box_ctx = &p;
	box_disk_use_init(&p.kept, p.lock, spec->profile.limits);
	spec->limits.disk = &p.kept.disk;
	r = driver_run(driver, spec, ret_result, e);
	box_disk_use_release(&p.kept, r == 0 ? ret_result : NULL);
	box_spec_clear(spec);
	return r;
}

int box_run_scratch_layer(const struct driver *driver, struct run_spec *spec,
			  struct driver_result *ret_result, struct aisbx_error *e)
{
	struct driver_here here;
	int r = driver_probe(driver, &here, e);

	if (r < 0)
		return r;
	if (here.needs_layers && spec->box.ready) { /* the layer is there as long as the run */
		if (spec->box.ready->make)
			return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
					    "a box with a layer on disk is not made ahead");
		spec->box.ready = NULL;
	}
	return here.needs_layers ? run_on_disk(driver, spec, ret_result, e)
				 : driver_run(driver, spec, ret_result, e);
}

/* Somebody has it locked, so its run lives. */
static bool is_live(void *ctx, const char *id)
{
	scoped(drop_mem) char *path = path_join(ctx, id);
	scoped(drop_fd) int fd = path ? open_dir(path) : -1;

	return !path || (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0);
}

static int sweep(char *dir, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = private_dir_open(dir, REMEDY, e);
	size_t n = 0;
	int r;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (flock(fd, LOCK_EX) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "lock '%s'", dir);
	r = layer_bury(dir, is_live, dir, e);
	flock(fd, LOCK_UN);
	if (r == 0)
		r = layer_sweep(dir, &n, e);
	*ret_n += n;
	return r;
}

int box_sweep_scratch_layers(const char *state, size_t *ret_n, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist places = { 0 };
	int r = box_scratch_layer_dirs(state, &places, e);

	for (size_t i = 0; r == 0 && i < places.n; i++)
		r = sweep(places.items[i], ret_n, e);
	return r == 0 && places.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "sweep") : r;
}
