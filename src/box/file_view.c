/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a project as a box has them: from the newest layer that has each, or the host. */
#include "box/file_view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

/* Of one directory; more is not a project's own top. */
#define MAX_NAMES 16384u

int box_file_view_open(struct box_state *s, const struct store_box *b, const char *project, const char *dir,
		       struct box_file_view *ret, struct aisbx_error *e)
{
	int r = b ? box_point_read(s, b, "", &ret->point, e) : 0;

	if (r < 0)
		return r;
	ret->dir = dir;
	ret->view = b ? ret->point.view : (struct view){ .host = project };
	return view_open(&ret->view, &ret->open_view, e);
}

void box_file_view_close(struct box_file_view *p)
{
	if (p->open_view.view)
		view_close(&p->open_view);
	box_point_finish(&p->point);
}

/* Heap, or NULL. */
static char *below(const struct box_file_view *p, const char *path)
{
	return *p->dir && *path ? path_join(p->dir, path) : strdup(*path ? path : p->dir);
}

static bool look(struct box_file_view *p, const char *path, struct view_entry *ret)
{
	scoped(drop_mem) char *rel = below(p, path);

	return rel && view_find(&p->open_view, rel, ret) == 0 && ret->thing.exists;
}

bool box_file_view_has(struct box_file_view *p, const char *path)
{
	struct view_entry seen = { 0 };

	return look(p, path, &seen);
}

int box_file_view_names(struct box_file_view *p, struct strlist *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist all = { 0 };
	struct view_entry seen = { .ref = view_top(&p->open_view) };
	int r;

	if (*p->dir && (!look(p, "", &seen) || !S_ISDIR(seen.thing.st.st_mode)))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, ENOTDIR,
				    "'%.*s' is not a directory of the project", (int)PATH_TOLD, p->dir);
	r = view_names(&p->open_view, seen.ref, p->dir, true, &all);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "list the project's files in '%.*s'", (int)PATH_TOLD,
				  *p->dir ? p->dir : ".");
	names_sort(&all);
	for (size_t i = 0; i < all.n && i < MAX_NAMES; i++) /* layers also name what was removed */
		if (box_file_view_has(p, all.items[i]))
			strlist_add(ret, all.items[i]);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list the project's files") : 0;
}

bool box_file_view_read(struct box_file_view *p, const char *path, size_t max, struct buf *ret)
{
	scoped(drop_mem) char *rel = below(p, path);
	scoped(drop_fd) int fd = -1;
	struct view_entry seen = { 0 };
	struct stat st;
	char chunk[8192];
	ssize_t n = 0;

	/* `at` and `name` of what was seen are good until the next look. */
	if (!rel || view_find(&p->open_view, rel, &seen) < 0 || !seen.thing.exists ||
	    !S_ISREG(seen.thing.st.st_mode))
		return false;
	fd = openat(seen.thing.at, seen.thing.name,
		    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > (off_t)max)
		return false;
	while (ret->len <= max && ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR)))
		buf_add(ret, chunk, n > 0 ? (size_t)n : 0);
	return n >= 0 && !ret->failed && ret->len <= max;
}
