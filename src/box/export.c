/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the project as a box sees it and copies it. Owners, extended attributes and special files are not
 * copied.
 */
#include "box/export.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/point.h"
#include "box/integrity.h"
#include "layer/copy.h"
#include "layer/layer.h"
#include "layer/view.h"

/* Directories in directories: each costs a frame of the stack, and a box may have made as many
 * as it likes. */
#define MAX_DEPTH 512

struct export
{
	struct open_view open_view;
	int to; /* owned; the directory it goes into */
	struct aisbx_error *e;
};

static int copy_file(struct export *x, const struct view_entry *seen, const char *rel)
{
	scoped(drop_fd) int from = copy_open(seen->thing.at, seen->thing.name);
	scoped(drop_fd) int to =
		openat(x->to, rel, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	const struct stat *st = &seen->thing.st;
	const struct timespec times[2] = { st->st_mtim, st->st_mtim };
	int r = from < 0 ? from : to < 0 ? -errno : copy_data(from, to, st->st_size);

	if (r == 0 && (fchmod(to, st->st_mode & 0100 ? 0555 : 0444) < 0 || futimens(to, times) < 0))
		r = -errno;
	return r;
}

static int copy_target(struct export *x, const struct view_entry *seen, const char *rel)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(seen->thing.at, seen->thing.name, target, sizeof(target) - 1);

	if (n < 0)
		return -errno;
	target[n] = '\0';
	return symlinkat(target, x->to, rel) < 0 ? -errno : 0;
}

static int copy_below(struct export *x, struct ref dir, const char *rel, int depth);

static int copy_one(struct export *x, struct ref dir, const char *rel, int depth)
{
	struct view_entry seen;
	int r = view_look(&x->open_view, dir, rel, &seen);

	if (r < 0 || !seen.thing.exists)
		return r < 0 ? aisbx_fail(x->e, AISBX_AREA_BOX, -r, "inspect '%s'", path_tail(rel, PATH_TOLD))
			     : 0;
	if (S_ISREG(seen.thing.st.st_mode))
		r = copy_file(x, &seen, rel);
	else if (S_ISLNK(seen.thing.st.st_mode))
		r = copy_target(x, &seen, rel);
	else if (S_ISDIR(seen.thing.st.st_mode) && mkdirat(x->to, rel, 0755) < 0)
		r = -errno;
	if (r < 0)
		return aisbx_fail(x->e, AISBX_AREA_BOX, -r, "copy '%s' out of the box",
				  path_tail(rel, PATH_TOLD));
	return S_ISDIR(seen.thing.st.st_mode) ? copy_below(x, seen.ref, rel, depth + 1) : 0;
}

static int copy_below(struct export *x, struct ref dir, const char *rel, int depth)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	int r = depth > MAX_DEPTH ? -ELOOP : view_names(&x->open_view, dir, rel, true, &names);

	if (r < 0 || names.failed)
		return aisbx_fail(x->e, AISBX_AREA_BOX, r < 0 ? -r : ENOMEM, "list '%s' of the box",
				  path_tail(rel, PATH_TOLD));
	names_sort(&names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		if (!strcmp(names.items[i], ".git")) /* git would take orders from it */
			continue;
		scoped(drop_mem) char *path = *rel ? path_join(rel, names.items[i]) : strdup(names.items[i]);

		r = path ? copy_one(x, dir, path, depth)
			 : aisbx_fail(x->e, AISBX_AREA_BOX, ENOMEM, "copy out of the box");
	}
	return r;
}

int box_export(struct box_state *s, const struct store_box *b, const char *snapshot, const char *dir,
	       struct aisbx_error *e)
{
	scoped(box_point_finish) struct box_point point = { 0 };
	struct export x = { .open_view = OPEN_VIEW_INIT, .e = e };
	int r;

	if (!b->project && !b->image[0])
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "box '%s' has no project",
				    b->name);
	r = snapshot[0] ? 0 : box_check_integrity(s, b, e);
	if (r == 0)
		r = box_point_read(s, b, snapshot, &point, e);
	if (r < 0)
		return r;
	x.to = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (x.to < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", dir);
	r = view_open(&point.view, &x.open_view, e);
	if (r == 0)
		r = copy_below(&x, view_top(&x.open_view), "", 0);
	view_close(&x.open_view);
	close(x.to);
	return r;
}

int box_export_remove(const char *parent, const char *name, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(parent, name);

	if (path && access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	return layer_remove(parent, name, e);
}
