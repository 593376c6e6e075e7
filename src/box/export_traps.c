/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the table of traps for a place on the host as well as a name: what is harmless in one directory is
 * obeyed in another.
 */
#include "box/export_traps.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/casefold.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/gitdir.h"

#define MAX_TEXT ((off_t)1 << 20)

const struct trap *box_export_trap(const char *dir, const char *path, const char *text)
{
	static const struct trap bare = { "git-config",
					  "it is in a git directory, where git finds programs to run" };
	static const struct trap head = {
		"git-config",
		"git treats a directory that contains it as a repository, where it finds programs to run"
	};
	const char *last = strrchr(path, '/');
	char name[NAME_MAX + 1];
	scoped(drop_mem) char *real = realpath(dir, NULL);
	char whole[2 * PATH_MAX];
	const struct trap *found;

	snprintf(whole, sizeof(whole), "%s/%s", real ? real : dir, path);
	found = trap_in_git(whole);
	casefold_path(last ? last + 1 : path, name, sizeof(name));
	if (!found && !strcmp(name, "head"))
		found = &head;
	if (!found)
		found = trap_of_name(path);
	if (!found)
		found = trap_of_name(whole);
	if (!found && trap_is_read(path))
		found = trap_of_text(path, NULL, text);
	return !found && gitdir_holds(real ? real : dir) ? &bare : found;
}

const struct trap *box_export_trap_link(const char *dir, const char *tree, const char *path,
					const char *target)
{
	const struct trap *found = box_export_trap(dir, path, NULL);
	const char *below = path_below(dir, tree);
	scoped(drop_mem) char *from = below && *below ? path_join(below, path) : strdup(path);

	return found ? found : trap_of_link(tree, from ? from : path, target);
}

char *box_export_trap_text(int fd)
{
	scoped(drop_mem) char *text = NULL;
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size > MAX_TEXT)
		return NULL;
	text = calloc(1, (size_t)st.st_size + 1);
	if (!text || pread(fd, text, (size_t)st.st_size, 0) != st.st_size ||
	    strlen(text) != (size_t)st.st_size)
		return NULL;
	return take_mem(&text);
}
