/* SPDX-License-Identifier: Apache-2.0 */
/* Cleans up when an experiment ends, or after its process was killed; and compares what passed. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/diff.h"
#include "box/owner.h"
#include "flow/try.h"

#define PATHS_TOLD 50u

/* ---- boxes ---- */

static void drop_box(struct box_state *state, const struct store_box *b)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int lock = -1;

	if (box_lock(state, b, &lock, &ignored) == 0)
		box_chain_remove(state, b, &ignored);
}

/* Asks the store itself: what is cleared up is whoever's the experiment was. */
void try_boxes_drop(const char *id, const struct strlist *keep)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(box_state_close) struct box_state state = { 0 };
	struct store_box *boxes = NULL;
	const size_t len = strlen(id);
	size_t n = 0;

	if (box_state_open(&state, &ignored) < 0 || store_box_list(state.store, &boxes, &n, &ignored) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		if (!strncmp(boxes[i].name, id, len) && boxes[i].name[len] == '-' &&
		    !(keep && strlist_has(keep, boxes[i].name)))
			drop_box(&state, &boxes[i]);
		store_box_finish(&boxes[i]);
	}
	free(boxes);
	box_collect(&state, NULL, &ignored);
}

/* ---- comparison ---- */

static int find(struct box_state *state, const struct try_record *r, struct store_box *ret,
		struct aisbx_error *e)
{
	return r->box ? box_find(state, r->box, ret, e) : -ENOENT;
}

static bool compare(const struct try_record *best, const struct try_record *other, struct try_difference *ret)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box a = { 0 };
	scoped(store_box_finish) struct store_box b = { 0 };
	scoped(change_list_finish) struct change_list changes = { 0 };
	struct box_ignored left;

	if (box_state_open(&state, &ignored) < 0 || find(&state, best, &a, &ignored) < 0 ||
	    find(&state, other, &b, &ignored) < 0 ||
	    box_diff(&state, &a, best->snapshot, &b, other->snapshot, &changes, &left, &ignored) < 0)
		return false;
	*ret = (struct try_difference){ .branch = best->name, .against = other->name };
	for (size_t i = 0; i < changes.n; i++) {
		scoped(buf_finish) struct buf clean = { 0 };

		if (changes.items[i].kind == CHANGE_TOUCH)
			continue;
		buf_add_utf8(&clean, changes.items[i].path, strlen(changes.items[i].path));
		if (ret->files.n < PATHS_TOLD)
			strlist_add(&ret->files, buf_str(&clean) ? clean.data : "");
		else
			ret->more++;
	}
	return true;
}

void try_differences(const struct try_record *list, size_t n, struct try_difference **ret, size_t *ret_n)
{
	struct try_difference *all = calloc(n + 1, sizeof(*all));
	size_t told = 0;

	for (size_t i = 1; all && i < n && try_record_passed(&list[0]); i++)
		if (try_record_passed(&list[i]) && compare(&list[0], &list[i], &all[told]))
			told++;
	*ret = all;
	*ret_n = told;
}

/* ---- who attends to it ---- */

static char *lock_path(const char *state_dir, const char *id, bool make)
{
	scoped(drop_mem) char *dir = path_join(state_dir, "experiments");

	if (dir && make)
		mkdir(dir, 0700);
	return dir ? path_join(dir, id) : NULL;
}

int try_lock(const char *state_dir, const char *id, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = lock_path(state_dir, id, true);
	scoped(drop_fd) int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;

	if (!path || fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, path ? errno : ENOMEM, "lock experiment '%s'", id);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK
			       ? -EBUSY
			       : aisbx_fail(e, AISBX_AREA_BOX, errno, "lock experiment '%s'", id);
	*ret_fd = take_fd(&fd);
	return 0;
}

void try_unlock(const char *state_dir, const char *id, int *fd)
{
	scoped(drop_mem) char *path = lock_path(state_dir, id, false);

	if (path && *fd >= 0)
		unlink(path);
	close_fd(fd);
}

/* The winner of a killed process stays: somebody may count on it. */
static bool collect_one(struct box_state *state, const struct store_experiment *x)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(strlist_finish) struct strlist keep = { 0 };
	bool ended = false;
	int fd = -1;

	if (try_lock(state->dir, x->id, &fd, &ignored) == 0 &&
	    store_experiment_end(state->store, x->id, "interrupted", "", box_now_ms(), &ended, &ignored) ==
		    0 &&
	    ended) {
		if (x->winner)
			strlist_addf(&keep, "%s-%lld", x->id, (long long)x->winner);
		try_boxes_drop(x->id, &keep);
	}
	try_unlock(state->dir, x->id, &fd);
	return ended;
}

size_t try_collect(void)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(box_state_close) struct box_state state = { 0 };
	struct store_experiment *list = NULL;
	size_t n = 0, ended = 0;

	if (box_state_open(&state, &ignored) < 0 ||
	    store_experiment_list(state.store, NULL, "running", INT64_MAX, &list, &n, &ignored) < 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		ended += collect_one(&state, &list[i]);
	store_experiment_list_finish(list, n);
	return ended;
}
