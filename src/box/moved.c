/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizes directories: by inode and birth time, or if a file system has no birth times, by inode and
 * device, which another mount may change.
 */
#include "box/moved.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

#define MOST_NAMES 20000 /* that are looked at */

const char *box_moved_name(enum box_moved w)
{
	static const char *const names[] = {
#define X(id, name) name,
		BOX_MOVED_STATES(X)
#undef X
	};

	return names[w];
}

static int read_place(const char *path, struct store_place *ret)
{
	struct statx x;

	if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME | STATX_TYPE, &x) < 0)
		return -errno;
	if (!S_ISDIR(x.stx_mode))
		return -ENOTDIR;
	*ret = (struct store_place){ .dev = (int64_t)makedev(x.stx_dev_major, x.stx_dev_minor),
				     .ino = (int64_t)x.stx_ino };
	if (x.stx_mask & STATX_BTIME)
		ret->born = x.stx_btime.tv_sec * 1000000000LL + x.stx_btime.tv_nsec;
	return 0;
}

int box_moved_read(const char *path, struct store_place *ret, struct aisbx_error *e)
{
	int r = read_place(path, ret);

	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "inspect project '%s'", path) : 0;
}

bool box_moved_same(const struct store_place *a, const struct store_place *b)
{
	return a->ino == b->ino && (a->born && b->born ? a->born == b->born : a->dev == b->dev);
}

static bool is_it(const struct store_box *b, const char *path)
{
	struct store_place p = { 0 };

	return read_place(path, &p) == 0 && box_moved_same(&p, &b->place);
}

/* HERE or a directory above it; heap or NULL. */
static char *find_above(const struct store_box *b, const char *here)
{
	scoped(drop_mem) char *at = here ? realpath(here, NULL) : NULL;

	while (at && strcmp(at, "/") != 0) {
		char *slash = strrchr(at, '/');

		if (is_it(b, at))
			return take_mem(&at);
		*(slash == at ? slash + 1 : slash) = '\0';
	}
	return NULL;
}

/* DIR/NAME/REST for any NAME: DIR is above the old place, and something on the way may have another name now.
 * Heap or NULL. */
static char *find_in(const struct store_box *b, const char *dir, const char *rest, size_t *left)
{
	scoped(drop_dir) DIR *d = opendir(dir);
	struct dirent *entry;
	int r = 0;

	while (d && *left && (entry = dir_next(d, &r))) {
		scoped(drop_mem) char *path = NULL;

		if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)
			continue;
		--*left;
		if (asprintf(&path, "%s/%s%s%s", strcmp(dir, "/") ? dir : "", entry->d_name, *rest ? "/" : "",
			     rest) < 0) {
			path = NULL;
			return NULL;
		}
		if (is_it(b, path))
			return take_mem(&path);
	}
	return NULL;
}

static char *find(const struct store_box *b, const char *here)
{
	char *found = find_above(b, here);
	scoped(drop_mem) char *dir = strdup(b->project);
	size_t left = MOST_NAMES;

	while (!found && dir && strcmp(dir, "/") != 0 && left) {
		char *slash = strrchr(dir, '/');
		const char *rest;

		*(slash == dir ? slash + 1 : slash) = '\0';
		rest = b->project + strlen(dir) + (strcmp(dir, "/") != 0); /* NAME/REST below DIR */
		rest += strcspn(rest, "/");
		found = find_in(b, dir, *rest ? rest + 1 : rest, &left);
	}
	return found;
}

enum box_moved box_moved(const struct store_box *b, const char *here, char **ret_now)
{
	struct store_place p = { 0 };
	int r;

	*ret_now = NULL;
	if (!b->project)
		return BOX_THERE;
	r = read_place(b->project, &p);
	if (r == 0 && (!b->place.ino || box_moved_same(&p, &b->place)))
		return BOX_THERE;
	if (r < 0 && r != -ENOENT &&
	    r != -ENOTDIR) /* not to see it is not to miss it: who needs it says why */
		return BOX_THERE;
	*ret_now = b->place.ino ? find(b, here) : NULL;
	return *ret_now ? BOX_MOVED : r == 0 ? BOX_REPLACED : BOX_MISSING;
}

int box_moved_require(const struct store_box *b, const char *here, struct aisbx_error *e)
{
	scoped(drop_mem) char *now = NULL;
	enum box_moved w = box_moved(b, here, &now);

	switch (w) {
	case BOX_THERE:
		return 0;
	case BOX_MOVED:
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, ENOTDIR,
				    "the project of box '%s' was moved from '%s' to '%s': 'aisbx rename %s "
				    "--project %s' updates the box",
				    b->name, b->project, now, b->name, now);
	case BOX_REPLACED:
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, ENOTDIR,
				    "'%s' is not the directory that box '%s' was made from, which was moved, "
				    "or restored from a copy; if it is the right one, 'aisbx rename %s "
				    "--project %s' confirms it; otherwise give the right one",
				    b->project, b->name, b->name, b->project);
	case BOX_MISSING:
		break;
	}
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
			    "the project of box '%s' is no longer at '%s', and was not found beside it; give "
			    "its place with 'aisbx rename %s --project DIR'",
			    b->name, b->project, b->name);
}

bool box_moved_is_of(const struct store_box *b, const char *project, const struct store_place *place)
{
	if (!b->project)
		return b->image[0]; /* it is of none, so it is told in each */
	if (b->place.ino && place->ino)
		return box_moved_same(&b->place, place);
	return !strcmp(b->project, project);
}

size_t box_moved_keep(const char *project, struct store_box *boxes, size_t n)
{
	struct store_place place = { 0 };
	size_t kept = 0;

	if (!project)
		return n;
	read_place(project, &place); /* else by its name alone */
	for (size_t i = 0; i < n; i++)
		if (box_moved_is_of(&boxes[i], project, &place))
			boxes[kept++] = boxes[i];
		else
			store_box_finish(&boxes[i]);
	return kept;
}
