/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a project's directory, upwards. */
#include "project/root.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "project/project.h"

enum mark { MARK_NONE, MARK_OURS, MARK_OTHERS };

/* Root could do everything anyway. */
static bool is_ours(const struct project_root_view *v, const struct stat *st)
{
	return st->st_uid == v->uid || st->st_uid == 0;
}

/* Nobody else can put a mark there. A group of one's own, as many systems give everybody, is nobody else. */
static bool is_safe(const struct project_root_view *v, const struct stat *st)
{
	const mode_t others = S_IWOTH | (st->st_gid == v->gid && v->gid == v->uid ? 0 : S_IWGRP);

	return S_ISDIR(st->st_mode) && is_ours(v, st) && !(st->st_mode & others);
}

static bool look(const struct project_root_view *v, const char *dir, const char *name, bool follow,
		 struct stat *ret)
{
	char path[PATH_MAX + 16];

	return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path) &&
	       v->look(v->ctx, path, follow, ret) == 0;
}

/* As git decides: a directory with a HEAD, or a file that leads to one, as worktrees and submodules have. */
static enum mark repository(const struct project_root_view *v, const char *dir)
{
	struct stat st, head;

	if (!look(v, dir, ".git", false, &st))
		return MARK_NONE;
	if (!is_ours(v, &st) || (S_ISLNK(st.st_mode) && look(v, dir, ".git", true, &st) && !is_ours(v, &st)))
		return MARK_OTHERS;
	return S_ISREG(st.st_mode) || (S_ISDIR(st.st_mode) && look(v, dir, ".git/HEAD", false, &head))
		       ? MARK_OURS
		       : MARK_NONE;
}

static enum mark mark_of(const struct project_root_view *v, const char *dir)
{
	struct stat st;

	if (look(v, dir, PROJECT_FILE, false, &st)) /* also a link that leads nowhere: somebody meant it */
		return is_ours(v, &st) && !S_ISDIR(st.st_mode) ? MARK_OURS : MARK_OTHERS;
	return repository(v, dir);
}

/* The home directory under another name, such as a bind mount, is still that. */
static bool is_home(const struct project_root_view *v, const char *dir, const struct stat *st,
		    const struct stat *home)
{
	return path_is_within(v->home, dir) || (st->st_dev == home->st_dev && st->st_ino == home->st_ino);
}

size_t project_root(const char *cwd, const struct project_root_view *v)
{
	const size_t all = strlen(cwd);
	struct stat st, first, home = { 0 };
	char dir[PATH_MAX];

	if (!v->home || all >= sizeof(dir) || v->look(v->ctx, cwd, false, &first) < 0)
		return all;
	v->look(v->ctx, v->home, true, &home);
	memcpy(dir, cwd, all + 1);
	for (st = first; strcmp(dir, "/") != 0 && !is_home(v, dir, &st, &home);) {
		const size_t n = strlen(dir);
		enum mark m = MARK_NONE;
		char *slash;

		if (n < all && (!is_safe(v, &st) || st.st_dev != first.st_dev))
			break;
		m = mark_of(v, dir);
		if (m !=
		    MARK_NONE) /* as git, which takes nobody else's repository: root's is not the person's */
			return m == MARK_OURS && st.st_uid == v->uid ? n : all;
		slash = strrchr(dir, '/');
		slash[slash == dir] = '\0';
		if (v->look(v->ctx, dir, false, &st) < 0)
			break;
	}
	return all;
}
