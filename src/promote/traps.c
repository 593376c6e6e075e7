/* SPDX-License-Identifier: Apache-2.0 */
/* Checks every change of a plan for traps: by name, mode, content, and link target. */
#include "promote/traps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "promote/traps_link.h"
#include "policy/system_trap.h"
#include "layer/copy.h"

#define MAX_PACKAGE ((off_t)1 << 20)

struct found {
	struct box_trap **list;
	size_t *n;
};

void box_traps_finish(struct box_trap *list)
{
	free(list);
}

/* SIZE bytes of FD as text; NULL if they are none. Negative errno. */
static int read_all(int fd, size_t size, char **ret)
{
	scoped(drop_mem) char *text = calloc(1, size + 1);
	size_t at = 0;

	if (!text)
		return -ENOMEM;
	while (at < size) {
		ssize_t n = read(fd, text + at, size - at);

		if (n <= 0)
			return n < 0 ? -errno : -ESTALE;
		at += (size_t)n;
	}
	if (strlen(text) == size) /* no reader of text goes on behind a zero, and some tool might */
		*ret = take_mem(&text);
	return 0;
}

/* A small file whole, as text; NULL when it is not there, not small or no text. Negative errno: not to know
 * is no answer. */
static int read_text(struct open_view *open_view, const char *path, char **ret)
{
	scoped(drop_fd) int fd = -1;
	struct view_entry seen;
	int r = view_find(open_view, path, &seen);

	if (r < 0 || !seen.thing.exists || !S_ISREG(seen.thing.st.st_mode) ||
	    seen.thing.st.st_size > MAX_PACKAGE)
		return r;
	fd = copy_open(seen.thing.at, seen.thing.name);
	return fd < 0 ? fd : read_all(fd, (size_t)seen.thing.st.st_size, ret);
}

/* The same of what a person accepted of a file. */
static int read_chosen(const char *file, char **ret)
{
	scoped(drop_fd) int fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	return st.st_size > MAX_PACKAGE ? 0 : read_all(fd, (size_t)st.st_size, ret);
}

/* File capabilities, of a program. */
static int trap_of_rights(const struct view_entry *seen, const struct trap **ret)
{
	scoped(drop_fd) int fd = copy_open(seen->thing.at, seen->thing.name);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = fgetxattr(fd, "security.capability", NULL, 0);
	if (n < 0 && errno != ENODATA && errno != EOPNOTSUPP)
		return -errno;
	if (n > 0)
		*ret = &trap_capability;
	return 0;
}

static int trap_of_content(const struct box_traps_look *look, const struct merge_step *step,
			   const struct trap **ret)
{
	const char *source = step->source ? step->source : step->path;
	scoped(drop_mem) char *text = NULL;
	scoped(drop_mem) char *old = NULL;
	struct view_entry seen;
	int r;

	*ret = NULL;
	if (!S_ISLNK(step->now.st_mode) && !S_ISREG(step->now.st_mode))
		return 0;
	r = view_find(look->box, source, &seen);
	if (r < 0 || !seen.thing.exists)
		return r < 0 ? r : -ESTALE;
	if (S_ISLNK(step->now.st_mode))
		return box_trap_of_link(look, step->path, &seen, ret);
	if (step->now.st_mode & 0111)
		r = trap_of_rights(&seen, ret);
	if (r < 0 || *ret || look->system || step->op == MERGE_ATTRS || !trap_is_read(step->path))
		return r;
	r = step->chosen ? read_chosen(step->merged, &text) : read_text(look->box, source, &text);
	if (r == 0)
		r = read_text(look->target, step->path, &old);
	if (r == 0)
		*ret = trap_of_text(step->path, old, text);
	return r;
}

int box_traps_add(struct box_trap **list, size_t *n, const char *path, const struct trap *trap)
{
	struct box_trap *grown = realloc(*list, (*n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	*list = grown;
	grown[(*n)++] = (struct box_trap){ path, trap };
	return 0;
}

static int add_trap(struct found *f, const char *path, const struct trap *trap)
{
	return box_traps_add(f->list, f->n, path, trap);
}

/* As seen from the project; from the root where the target is elsewhere: what is a trap may lie in the
 * target's own path. */
static const char *name_of(const struct box_traps_look *look, const char *path, char *room, size_t cap)
{
	const char *below = look->project ? path_below(look->dir, look->project) : NULL;

	if (below && !*below && strcmp(look->dir, "/") != 0)
		return path;
	snprintf(room, cap, "%s/%s", below && *below ? below : strcmp(look->dir, "/") ? look->dir : "", path);
	return room;
}

/* A command of this name is found elsewhere. */
static int is_shadow(const struct box_traps_look *look, const char *path, bool *ret)
{
	const char *name = strrchr(path, '/');

	*ret = false;
	for (const char *const *dir = system_command_dirs; name && *dir && !*ret; dir++) {
		scoped(drop_mem) char *other = path_join(*dir, name + 1);
		struct stat st;
		int r;

		if (!other)
			return -ENOMEM;
		if (!strcmp(other, path))
			continue;
		r = tree_root_stat(&look->target->host, other, &st);
		if (r < 0 && r != -EXDEV)
			return r;
		*ret = r > 0;
	}
	return 0;
}

/* A trap of the system, by name and by what was there. */
static int judge_system(const struct box_traps_look *look, const struct merge_step *step, struct found *all)
{
	const struct trap *found = system_trap_of_name(step->path);
	const char *name = strrchr(step->path, '/');
	bool shadow = false;
	int r = 0;

	if (!found && step->op == MERGE_REPLACE &&
	    ((S_ISREG(step->old.st_mode) && (step->old.st_mode & 0111)) ||
	     strstr(name ? name : step->path, ".so")))
		found = &system_trap_program;
	if (!found && step->op != MERGE_REPLACE && step->op != MERGE_ATTRS &&
	    system_trap_is_command(step->path))
		r = is_shadow(look, step->path, &shadow);
	if (shadow)
		found = &system_trap_shadow;
	return r == 0 && found ? add_trap(all, step->path, found) : r;
}

/* What is in the way by the name of what the step makes, or because a link of the target leads to it. */
static int judge_name(const struct box_traps_look *look, const struct merge_step *step,
		      struct box_aliases *aliases, struct found *all)
{
	char whole[2 * PATH_MAX];
	const struct trap *found = trap_of_name(name_of(look, step->path, whole, sizeof(whole)));
	int r = found ? 0 : box_aliases_find(aliases, look->dir, step->path, &found);

	return r == 0 && found ? add_trap(all, step->path, found) : r;
}

static int judge(const struct box_traps_look *look, const struct merge_step *step,
		 struct box_aliases *aliases, struct found *all)
{
	const struct trap *found;
	char whole[2 * PATH_MAX];
	int r = 0;

	if (step->op == MERGE_DELETE) {
		found = look->system ? system_trap_of_removal(step->path)
				     : trap_of_removal(name_of(look, step->path, whole, sizeof(whole)));
		return found ? add_trap(all, step->path, found) : 0;
	}
	if (step->op == MERGE_NOTHING || !strcmp(step->path, ".") ||
	    (step->op == MERGE_ATTRS && !(step->take & (DIFF_MODE | DIFF_XATTR))))
		return 0;
	if (!S_ISDIR(step->now.st_mode))
		r = look->system ? judge_system(look, step, all) : judge_name(look, step, aliases, all);
	found = trap_of_mode(step->old.st_mode, step->now.st_mode);
	if (r == 0 && found)
		r = add_trap(all, step->path, found);
	found = look->system ? system_trap_of_owner(step->path, step->old.st_mode, step->old.st_uid,
						    step->now.st_mode, step->now.st_uid)
			     : NULL;
	if (r == 0 && found)
		r = add_trap(all, step->path, found);
	if (r == 0)
		r = trap_of_content(look, step, &found);
	return r == 0 && found ? add_trap(all, step->path, found) : r;
}

int box_traps_find(const struct merge_plan *plan, const struct box_traps_look *look, struct box_trap **ret,
		   size_t *ret_n, struct aisbx_error *e)
{
	scoped(box_aliases_finish) struct box_aliases aliases = { 0 };
	struct found all = { ret, ret_n };

	for (size_t i = 0; i < plan->n; i++) {
		int r = judge(look, &plan->steps[i], &aliases, &all);

		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, -r, "search for traps in '%s'",
					  plan->steps[i].path);
	}
	return 0;
}
