/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a layer from a plan: staged files moved in, whiteouts, opaque directories, parents copied up. */
#include "layer/merge_layer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "layer/copy.h"
#include "layer/journal_fill.h"

struct layer_writer {
	const struct merge_sides *sides;
	struct journal *j;
	struct tree_root up;
	int64_t id_shift;
};

/* The directory REL as the target shows it, or the box where the target's layers say nothing, empty, if it is
 * not there yet. */
static int copy_up(struct layer_writer *g, const char *rel)
{
	struct copy_how how = { .owners = g->id_shift != 0 };
	scoped(drop_fd) int from = -1;
	scoped(drop_fd) int to = -1;
	struct view_entry seen;
	struct stat st;
	const char *name;
	int at, r;

	r = tree_root_stat(&g->up, rel, &st);
	if (r != 0)
		return r < 0 ? r : 0;
	r = view_find(view_knows(g->sides->target, rel) ? g->sides->target : g->sides->box, rel, &seen);
	if (r == 0 && (!seen.thing.exists || !S_ISDIR(seen.thing.st.st_mode)))
		r = -ENOTDIR;
	if (r < 0)
		return r;
	from = copy_open(seen.thing.at, seen.thing.name);
	at = tree_root_parent(&g->up, rel, &name);
	if (from < 0 || at < 0)
		return from < 0 ? from : at;
	if (mkdirat(at, name, 0700) < 0)
		return -errno;
	to = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	how.id_delta = seen.thing.id_delta + g->id_shift;
	return to < 0 ? -errno : copy_attrs(from, to, &how);
}

static int copy_up_parents(struct layer_writer *g, const char *path)
{
	scoped(drop_mem) char *part = strdup(path);
	int r = part ? 0 : -ENOMEM;

	for (char *slash = part; r == 0 && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		r = copy_up(g, part);
		*slash = '/';
	}
	return r;
}

/* A directory that hides whatever lies below. */
static int make_opaque(int at, const char *name)
{
	scoped(drop_fd) int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 || fsetxattr(fd, "user.overlay.opaque", "y", 1, 0) < 0 ? -errno : 0;
}

static int put_attrs(struct layer_writer *g, const struct journal_item *item, const char *path)
{
	struct copy_how how = { .owners = g->id_shift != 0 };
	scoped(drop_fd) int from = -1;
	scoped(drop_fd) int to = -1;
	char slot[32];
	const char *name;
	int at, r = copy_up(g, path);

	if (r < 0)
		return r;
	snprintf(slot, sizeof(slot), "%u", item->slot);
	at = tree_root_parent(&g->up, path, &name);
	to = at < 0 ? at : copy_open(at, name);
	from = copy_open(g->j->slots.root, slot);
	return to < 0 ? to : from < 0 ? from : copy_attrs(from, to, &how);
}

/* Whether the new directory is to hide what lies below: not if it is the box's own, through which the host
 * shows. */
static int is_hiding(struct layer_writer *g, const char *path)
{
	struct view_entry seen;
	int r = view_knows(g->sides->target, path) ? 1 : view_find(g->sides->box, path, &seen);

	return r != 0 ? r : !seen.ref.host;
}

static int put_item(struct layer_writer *g, const struct journal_item *item, const char *path)
{
	char slot[32];
	const char *name;
	int at, r = copy_up_parents(g, path);

	if (r == 0 && item->op == MERGE_ATTRS)
		return put_attrs(g, item, path);
	at = r < 0 ? r : tree_root_parent(&g->up, path, &name);
	if (at < 0)
		return at;
	if (item->op == MERGE_DELETE)
		return mknodat(at, name, S_IFCHR, 0) < 0 ? -errno : 0; /* a whiteout: anybody may make one */
	snprintf(slot, sizeof(slot), "%u", item->slot);
	if (S_ISDIR(item->now.mode)) {
		r = is_hiding(g, path);
		if (r > 0)
			r = make_opaque(g->j->slots.root, slot);
	}
	return r < 0 ? r : renameat(g->j->slots.root, slot, at, name) < 0 ? -errno : 0;
}

/* What was put into a new directory gave it another time. */
static int restore_time(struct layer_writer *g, const struct journal_item *item, const char *path)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { item->now.mtime_s, item->now.mtime_ns } };
	const char *name;
	int at = tree_root_parent(&g->up, path, &name);

	return at < 0 ? at : utimensat(at, name, times, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

/* Attributes of files: a layer has no file without its content. */
static void whole_files(struct merge_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (plan->steps[i].op == MERGE_ATTRS && !S_ISDIR(plan->steps[i].now.st_mode))
			plan->steps[i].op = MERGE_REPLACE;
}

int merge_layer_write(struct merge_plan *plan, const struct merge_sides *sides, const char *stage,
		      const char *up, uint32_t id_shift, struct aisbx_error *e)
{
	struct layer_writer g = { .sides = sides, .up = TREE_ROOT_INIT, .id_shift = id_shift };
	scoped(drop_journal) struct journal *j = NULL;
	size_t failed = 0;
	int r;

	whole_files(plan);
	plan->n_twins = 0; /* links to files below would be copies in a layer */
	r = journal_begin(stage, "graft", &(struct journal_head){ 0 }, up, &j, e);
	if (r == 0)
		r = journal_fill_all(j, plan, sides, id_shift != 0, id_shift, e);
	if (r == 0)
		r = tree_root_open(up, &g.up, e);
	if (r < 0)
		return r;
	g.j = j;
	for (int attrs = 0; attrs < 2; attrs++)
		for (size_t i = 0; r == 0 && i < j->n; i++) {
			const struct journal_item *item = &j->items[i];

			failed = i;
			if (item->op == MERGE_INSIDE || item->op == MERGE_NOTHING)
				continue;
			if ((item->op == MERGE_ATTRS) == attrs)
				r = put_item(&g, item, j->paths[i]);
			else if (attrs && item->op != MERGE_DELETE && S_ISDIR(item->now.mode))
				r = restore_time(&g, item, j->paths[i]);
		}
	tree_root_close(&g.up);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "put '%s' into the layer",
				  j->n ? j->paths[failed] : "")
		     : 0;
}
