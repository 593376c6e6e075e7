/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows are in the store. So that a run in a project without a current box need not open it, there is an
 * empty file for each row, by the project's path and by its inode: made before the row, removed after it.
 */
#include "box/current.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/moved.h"
#include "box/owner.h"

#define SIGNS "current" /* the directory of these files */

/* A project, and the names of its two files. */
struct where {
	const char *project; /* borrowed */
	struct store_place place;
	char by_path[24], by_place[48];
};

static struct where where_of(const char *project)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct where w = { .project = project };
	uint64_t sum = 0xcbf29ce484222325ull; /* FNV-1a */

	box_moved_read(project, &w.place, &ignored); /* else only its path is known */
	for (const char *c = project; *c; c++)
		sum = (sum ^ (unsigned char)*c) * 0x100000001b3ull;
	snprintf(w.by_path, sizeof(w.by_path), "p-%016llx", (unsigned long long)sum);
	snprintf(w.by_place, sizeof(w.by_place), "i-%llx-%llx", (unsigned long long)w.place.ino,
		 (unsigned long long)(w.place.born ? w.place.born : w.place.dev));
	return w;
}

static bool has_sign(int dir, const struct where *w)
{
	return faccessat(dir, w->by_place, F_OK, 0) == 0 || faccessat(dir, w->by_path, F_OK, 0) == 0;
}

static int make_sign(int dir, const char *name)
{
	scoped(drop_fd) int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	return fd < 0 ? -errno : 0;
}

/* -1: there is none. */
static int open_signs(const char *state)
{
	scoped(drop_mem) char *path = path_join(state, SIGNS);

	return path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
}

static int make_signs(const char *state, const struct where *w, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(state, SIGNS);
	scoped(drop_fd) int dir = -1;
	int r = path ? 0 : -ENOMEM;

	if (r == 0 && mkdir(path, 0700) < 0 && errno != EEXIST)
		r = -errno;
	if (r == 0 && (dir = open_signs(state)) < 0)
		r = -errno;
	if (r == 0)
		r = make_sign(dir, w->by_place);
	if (r == 0)
		r = make_sign(dir, w->by_path);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "choose the current box") : 0;
}

static const char *owner(void)
{
	return box_acting_for() ? box_acting_for() : "";
}

/* The row, and what its box is called now. */
static int look(struct box_state *s, const struct where *w, struct box_current *ret, struct aisbx_error *e)
{
	struct aisbx_error none = AISBX_ERROR_INIT;
	scoped(store_box_finish) struct store_box b = { 0 };
	struct store_current row;
	int r = store_current_find(s->store, owner(), w->project, &w->place, &row, e);

	if (r < 0 || !row.box[0])
		return r;
	r = box_find(s, row.box, &b, &none);
	if (r < 0 && none.code != -ENOENT) {
		*e = none;
		return r;
	}
	ret->gone = r < 0;
	memcpy(ret->id, ret->gone ? row.box : b.id, sizeof(ret->id));
	if (ret->gone)
		snprintf(ret->name, sizeof(ret->name), "%s", row.name);
	else
		box_told_as(&b, ret->name);
	return 0;
}

int box_current_find(const char *project, struct box_current *ret, struct aisbx_error *e)
{
	struct aisbx_error nowhere = AISBX_ERROR_INIT;
	scoped(drop_mem) char *dir = box_state_path(&nowhere);
	scoped(drop_fd) int signs = dir ? open_signs(dir) : -1;
	scoped(box_state_close) struct box_state state = { 0 };
	struct where w;
	int r;

	*ret = (struct box_current){ 0 };
	if (signs < 0)
		return 0;
	w = where_of(project);
	if (!has_sign(signs, &w))
		return 0;
	r = box_state_open(&state, e);
	return r < 0 ? r : look(&state, &w, ret, e);
}

static int check_project(const struct store_box *b, const struct where *w, struct aisbx_error *e)
{
	if (box_moved_is_of(b, w->project, &w->place))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
			    "box '%s' is a clone of '%s', and you are in '%s'; use it there, or name it with "
			    "each command",
			    b->name, b->project ? b->project : "/", w->project);
}

int box_current_set(const char *project, const char *key, struct box_current *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box b = { 0 };
	const struct where w = where_of(project);
	int r = box_state_open(&state, e);

	*ret = (struct box_current){ 0 };
	if (r == 0)
		r = box_find(&state, key, &b, e);
	if (r == 0)
		r = check_project(&b, &w, e);
	if (r == 0)
		r = make_signs(state.dir, &w, e);
	if (r == 0)
		r = store_begin(state.store, e);
	if (r < 0)
		return r;
	r = store_current_set(state.store, owner(), project, &w.place, b.id, b.name, box_now_ms(), e);
	if (r == 0)
		r = store_commit(state.store, e);
	if (r < 0)
		store_rollback(state.store);
	memcpy(ret->id, b.id, sizeof(ret->id));
	box_told_as(&b, ret->name);
	return r;
}

int box_current_forget(const char *project, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	const struct where w = where_of(project);
	scoped(drop_fd) int signs = -1;
	int r = box_state_open(&state, e);

	if (r == 0)
		r = store_begin(state.store, e);
	if (r < 0)
		return r;
	r = store_current_forget(state.store, owner(), project, &w.place, e);
	if (r == 0)
		r = store_commit(state.store, e);
	if (r < 0)
		store_rollback(state.store);
	signs = r == 0 ? open_signs(state.dir) : -1;
	if (signs >= 0) { /* one that stays costs a look into the store, no more */
		unlinkat(signs, w.by_place, 0);
		unlinkat(signs, w.by_path, 0);
	}
	return r;
}
