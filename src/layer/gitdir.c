/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of git's setup.c (is_git_directory) and path.c (is_ntfs_dotgit, is_hfs_dotgit), on the safe side
 * of each. */
#include "layer/gitdir.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/casefold.h"
#include "base/path.h"
#include "base/scope.h"

bool gitdir_is_name(const char *name)
{
	char first[NAME_MAX + 1], folded[NAME_MAX + 1];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(name, "/:"),
		 name); /* ':': a stream of the file */
	casefold_path(first, folded, sizeof(folded));
	return !strcmp(folded, ".git") || !strcmp(folded, "git~1");
}

bool gitdir_has_name(const char *path)
{
	for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
		if (gitdir_is_name(part))
			return true;
	return false;
}

static bool is_there(const char *dir, const char *name)
{
	scoped(drop_mem) char *path = path_join(dir, name);
	struct stat st;

	return path && lstat(path, &st) == 0;
}

bool gitdir_holds(const char *path)
{
	scoped(drop_mem) char *dir = strdup(path);
	char *slash = NULL;

	if (!dir || gitdir_has_name(path))
		return true;
	do {
		if (slash)
			*slash = '\0';
		if (is_there(dir, "HEAD") &&
		    (is_there(dir, "commondir") || (is_there(dir, "objects") && is_there(dir, "refs"))))
			return true;
	} while ((slash = strrchr(dir, '/')) && slash > dir);
	return false;
}

/* 1 when one of the two has NAME in its directory REL. */
static int has(struct open_view *a, struct ref dir_a, struct open_view *b, struct ref dir_b, const char *rel,
	       const char *name)
{
	scoped(drop_mem) char *path = *rel ? path_join(rel, name) : strdup(name);
	struct view_entry seen = { 0 };
	int r = path ? view_look(a, dir_a, path, &seen) : -ENOMEM;

	if (r == 0 && !seen.thing.exists && b)
		r = view_look(b, dir_b, path, &seen);
	return r < 0 ? r : seen.thing.exists;
}

int gitdir_is_laid_out(struct open_view *a, struct ref dir_a, struct open_view *b, struct ref dir_b,
		       const char *rel)
{
	int r = has(a, dir_a, b, dir_b, rel, "HEAD");

	if (r <= 0)
		return r;
	r = has(a, dir_a, b, dir_b, rel, "commondir");
	if (r == 0 && (r = has(a, dir_a, b, dir_b, rel, "objects")) > 0)
		r = has(a, dir_a, b, dir_b, rel, "refs");
	return r;
}

int gitdir_is_within(struct open_view *open_view, struct ref dir, const char *rel)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	int r = gitdir_is_laid_out(open_view, dir, NULL, (struct ref){ 0 }, rel);

	if (r == 0)
		r = view_names(open_view, dir, rel, true, &names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		scoped(drop_mem) char *child = *rel ? path_join(rel, names.items[i]) : strdup(names.items[i]);
		struct view_entry seen;

		r = child ? view_look(open_view, dir, child, &seen) : -ENOMEM;
		if (r == 0 && seen.thing.exists && S_ISDIR(seen.thing.st.st_mode))
			r = gitdir_is_name(names.items[i]) ? 1 : gitdir_is_within(open_view, seen.ref, child);
	}
	return r;
}
