/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that another machine made become a box here. Whatever they are, they are only a layer: what of them
 * reaches the project is decided by a promotion, as ever. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/chain.h"
#include "box/integrity.h"
#include "box/lookup.h"
#include "box/owner.h"
#include "box/point.h"
#include "box/travel.h"
#include "driver/driver.h"
#include "layer/base.h"
#include "layer/layer.h"

#define DEPTH_MOST 256
#define COPY       "copy"

static int find_box(struct box_state *s, const char *name, bool *ret_found, struct aisbx_error *e)
{
	return store_box_has_name(s->store, box_acting_for() ? box_acting_for() : "", name, ret_found, e);
}

struct box_arrival {
	struct box_state state;
	char id[STORE_ID_MAX]; /* of the layer; "": none */
	int lock;              /* owned, as all that follows */
	char *up, *copy;
};

void box_arrival_close(struct box_arrival *a)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	bool exists = true;

	if (!a)
		return;
	if (a->id[0] && store_layer_exists(a->state.store, a->id, &exists, &ignored) == 0 && !exists)
		layer_remove(a->state.layers, a->id, &ignored); /* if not now, then by gc */
	free(a->up);
	free(a->copy);
	close_fd(&a->lock);
	if (a->state.dir)
		box_state_close(&a->state);
	free(a);
}

static int make_places(struct box_arrival *a, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = path_join(a->state.layers, a->id);
	scoped(drop_mem) char *tree = dir ? path_join(dir, "project") : NULL;

	a->up = tree ? path_join(tree, "up") : NULL;
	a->copy = tree ? path_join(tree, COPY) : NULL;
	/* Passable, as all directories of layers. */
	return !a->up || !a->copy || mkdir(tree, 0711) < 0
		       ? aisbx_fail(e, AISBX_AREA_BOX, a->up && a->copy ? errno : ENOMEM, "make '%s'", a->id)
		       : 0;
}

int box_arrival_open(const char *name, struct box_arrival **ret, struct aisbx_error *e)
{
	scoped(drop_arrival) struct box_arrival *a = calloc(1, sizeof(*a));
	bool found = false;
	int r;

	*ret = NULL;
	if (!a)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "bring changes here");
	a->lock = -1;
	r = box_state_open(&a->state, e);
	if (r == 0)
		r = find_box(&a->state, name, &found, e);
	if (r < 0 || found)
		return r;
	r = box_reserve_layer(&a->state, a->id, &a->lock, e);
	if (r == 0)
		r = make_places(a, e);
	if (r < 0)
		return r;
	*ret = a;
	a = NULL;
	return 0;
}

const char *box_arrival_changes(const struct box_arrival *a)
{
	return a->up;
}

const char *box_arrival_copy(const struct box_arrival *a)
{
	return a->copy;
}

/* One walk through what came. */
struct inspection {
	const char *path; /* borrowed; the directory, for messages */
	uint32_t shift;   /* of owners in layers */
	unsigned int depth;
};

static int refuse(const struct inspection *i, const char *name, const char *what, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
			    "the changes that came back are refused: '%.200s' in '%.200s' is %s", name,
			    i->path, what);
}

static bool has_mark(int dir, const char *name)
{
	static const char *const marks[] = { "user.overlay.whiteout", "user.overlay.whiteouts" };
	char path[300];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%.255s", dir, name);
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (lgetxattr(path, marks[i], NULL, 0) >= 0)
			return true;
	return false;
}

/* The owner that a box would have left there: of what it changed, the host's; of what it made, the person. */
static void give_owner(int dir, const char *name, const struct stat *st, int host, uint32_t shift)
{
	struct stat old;
	const bool was = host >= 0 && fstatat(host, name, &old, AT_SYMLINK_NOFOLLOW) == 0 &&
			 ((old.st_mode ^ st->st_mode) & S_IFMT) == 0;
	const uid_t uid = geteuid() ? (uid_t)-1 : (was ? old.st_uid : 0) + shift;
	const gid_t gid = geteuid() ? (was ? old.st_gid : (gid_t)-1) : (was ? old.st_gid : 0) + shift;

	if (geteuid() && (gid == (gid_t)-1 || gid == st->st_gid))
		return;
	/* A group that is not the person's stays theirs, as if they had written the file anew. */
	if (fchownat(dir, name, uid, gid, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISLNK(st->st_mode))
		fchmodat(dir, name, st->st_mode & 07777, 0);
}

static int inspect(int dir, int host, struct inspection i, struct aisbx_error *e);

static int inspect_one(int dir, const char *name, int host, const struct inspection *i, struct aisbx_error *e)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct inspection below = { .path = name, .shift = i->shift, .depth = i->depth + 1 };
	struct stat st;
	int r = 0;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "look at '%s'", name);
	if (S_ISCHR(st.st_mode) && !st.st_rdev)
		return 0;
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
		return refuse(i, name, "neither a file nor a directory nor a link", e);
	if (has_mark(dir, name))
		return refuse(i, name, "a deletion in a form that aisbx does not use", e);
	if (S_ISDIR(st.st_mode)) {
		scoped(drop_fd) int old = host < 0 ? -1 : openat(host, name, flags);
		scoped(drop_fd) int fd = -1;

		if (fchmodat(dir, name, 0700, 0) < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", name);
		fd = openat(dir, name, flags);
		r = fd < 0 ? aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", name)
			   : inspect(fd, old, below, e);
		if (fchmodat(dir, name, st.st_mode & 07777, 0) < 0 && r == 0)
			r = aisbx_fail(e, AISBX_AREA_BOX, errno, "close '%s'", name);
	}
	if (r == 0)
		give_owner(dir, name, &st, host, i->shift);
	return r;
}

static int inspect(int dir, int host, struct inspection i, struct aisbx_error *e)
{
	struct dirent *entry;
	int r = 0;
	scoped(drop_dir) DIR *d = dir_take(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), &r);

	if (i.depth > DEPTH_MOST)
		return refuse(&i, ".", "too deep", e);
	while (d && r == 0 && (entry = dir_next(d, &r)))
		if (inspect_one(dir, entry->d_name, host, &i, e) < 0)
			return e->code;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "read '%s'", i.path) : 0;
}

static int inspect_layer(const struct box_arrival *a, const struct box_departure *d, struct aisbx_error *e)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	scoped(drop_fd) int up = open(a->up, flags);
	scoped(drop_fd) int host = open(d->under, flags);
	const uint32_t shift = driver_id_shift();
	struct stat st;
	int r;

	if (up < 0 || fstat(up, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", a->up);
	r = inspect(up, host, (struct inspection){ .path = a->up, .shift = shift }, e);
	/* The top is the project's own directory, which no job changes. */
	if (r == 0 && host >= 0 && fstat(host, &st) == 0 && !geteuid() &&
	    fchown(up, st.st_uid + shift, st.st_gid + shift) < 0)
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "keep '%s'", a->up);
	if (r == 0 && fchmod(up, st.st_mode & 07777) < 0)
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "keep '%s'", a->up);
	return r;
}

static int add_box(struct box_arrival *a, const struct box_departure *d, const char *name,
		   const char *profile, struct aisbx_error *e)
{
	const struct store_box since = { .watermark_s = d->since.tv_sec,
					 .watermark_ns = d->since.tv_nsec,
					 .place = { d->dev, d->ino, d->born } };
	const struct box_new how = { .name = name,
				     .profile = profile,
				     .project = d->project,
				     .base = a->id,
				     .base_is_new = true,
				     .since = &since };
	scoped(store_box_finish) struct store_box box = { 0 };
	int r = box_chain_create(&a->state, &how, &box, e);

	if (r == 0)
		r = store_flush(a->state.store, e);
	if (r == 0)
		unlinkat(a->lock, BOX_DRAFT, 0);
	return r;
}

/* The layer is checked, and what it was changed from is recorded: ON has what was there already. */
static int settle_layer(struct box_arrival *a, const struct box_departure *d, const struct base_copy *on,
			struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = path_join(a->state.layers, a->id);
	scoped(drop_mem) char *tree = dir ? path_join(dir, "project") : NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	int r;

	if (!tree)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "bring changes here");
	r = inspect_layer(a, d, e);
	if (r == 0)
		r = base_settle_copy(dir, "project", on, e);
	if (layer_remove(tree, COPY, r == 0 ? e : &ignored) < 0 && r == 0)
		r = e->code;
	return r == 0 ? box_sync_layer(&a->state, a->id, e) : r;
}

/* The box FORK goes on as NAME, above the layer that came. */
static int put_on(struct box_arrival *a, const struct store_box *fork, const char *name,
		  struct aisbx_error *e)
{
	scoped(drop_mem) struct store_layer *chain = NULL;
	char top[STORE_ID_MAX] = "";
	size_t n = 0;
	int r = store_layer_chain(a->state.store, fork->top, &chain, &n, e);

	if (r == 0)
		r = store_begin(a->state.store, e);
	if (r < 0)
		return r;
	r = chain_add_pin(&a->state, a->id, chain[0].parent, e); /* its own top is empty */
	if (r == 0)
		r = chain_add_layer(&a->state, a->id, top, e);
	if (r == 0)
		r = store_box_set_top(a->state.store, fork->id, top, e);
	if (r == 0)
		r = store_box_settle(a->state.store, fork->id, name, e);
	r = chain_settle(&a->state, r, top, e);
	if (r == 0) {
		box_touch(&a->state, fork);
		r = store_flush(a->state.store, e);
	}
	if (r == 0)
		unlinkat(a->lock, BOX_DRAFT, 0);
	return r;
}

static int refuse_gone(const char *base, struct aisbx_error *e)
{
	return aisbx_refuse(
		e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
		"the box '%.100s' is gone, which kept the state that the job began from: what the "
		"job changed has nothing here to stand on",
		base);
}

/* On what the job began from; its records of what it changed rule, wherever it did. */
static int settle_on_base(struct box_arrival *a, struct box_departure *d, const char *name,
			  struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box fork = { 0 };
	scoped(box_point_finish) struct box_point point = { 0 };
	scoped(box_bases_finish) struct box_bases bases = { 0 };
	scoped(drop_fd) int lock = -1;
	struct base_copy on = { .copy = a->copy, .since = d->since };
	bool unchanged = false;
	int r = box_find(&a->state, d->base, &fork, e);

	if (r == -ENOENT)
		return refuse_gone(d->base, e);
	if (r == 0)
		r = box_lock(&a->state, &fork, &lock, e);
	if (r == 0)
		r = box_is_unchanged(&a->state, &fork, &unchanged, e);
	if (r == 0 && !unchanged)
		r = aisbx_refuse(
			e, AISBX_KIND_STALE, AISBX_AREA_BOX, ESTALE,
			"the box '%.100s' kept the state that the job began from, and was changed since",
			fork.name);
	if (r == 0)
		r = box_point_read(&a->state, &fork, "", &point, e);
	if (r < 0 || !point.host)
		return r < 0 ? r : aisbx_fail(e, AISBX_AREA_BOX, ENOENT, "bring changes to '%s'", d->project);
	free(d->under);
	d->under = point.host;
	point.host = NULL;
	box_bases_open(&bases, &a->state);
	on.host = d->under;
	on.dirs = (const char *const *)point.trees.items;
	on.n = point.trees.n;
	on.filter = &bases.filter;
	r = settle_layer(a, d, &on, e);
	if (r == 0 && bases.error.code) {
		*e = bases.error;
		r = e->code;
	}
	return r == 0 ? put_on(a, &fork, name, e) : r;
}

int box_arrival_settle(struct box_arrival *a, struct box_departure *d, const char *name, const char *profile,
		       struct aisbx_error *e)
{
	const struct base_copy on = { .host = d->project, .copy = a->copy, .since = d->since };
	int r;

	if (d->base)
		return settle_on_base(a, d, name, e);
	r = settle_layer(a, d, &on, e);
	return r == 0 ? add_box(a, d, name, profile, e) : r;
}
