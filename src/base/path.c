/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on paths as text. */
#include "base/path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool path_is_clean(const char *path)
{
	const char *p = path;

	if (*p != '/' || strnlen(path, PATH_MAX) >= PATH_MAX)
		return false;
	if (!p[1])
		return true;
	while (*p) {
		size_t n = strcspn(p + 1, "/");

		if (n == 0 || n > NAME_MAX)
			return false;
		if (p[1] == '.' && (n == 1 || (n == 2 && p[2] == '.')))
			return false;
		p += 1 + n;
	}
	return true;
}

const char *path_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1) /* "/" */
		return path + 1;
	if (strncmp(path, dir, n) != 0 || (path[n] && path[n] != '/'))
		return NULL;
	return path[n] ? path + n + 1 : path + n;
}

bool path_is_within(const char *path, const char *dir)
{
	return path_below(path, dir) != NULL;
}

char *path_resolve(const char *cwd, const char *path)
{
	size_t cap = strlen(cwd) + strlen(path) + 3;
	char *raw = malloc(cap), *out = malloc(cap), *save = NULL, *part;
	size_t len = 0;

	if (!raw || !out) {
		free(raw);
		free(out);
		return NULL;
	}
	snprintf(raw, cap, "%s/%s", path[0] == '/' ? "" : cwd, path);
	for (part = strtok_r(raw, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
		if (!strcmp(part, "."))
			continue;
		if (!strcmp(part, "..")) {
			while (len && out[--len] != '/')
				;
			continue;
		}
		out[len++] = '/';
		memcpy(out + len, part, strlen(part));
		len += strlen(part);
	}
	if (!len)
		out[len++] = '/';
	out[len] = '\0';
	free(raw);
	return out;
}

char *path_join(const char *dir, const char *name)
{
	size_t cap = strlen(dir) + strlen(name) + 2;
	char *out = malloc(cap);

	if (out)
		snprintf(out, cap, "%s%s%s", dir, strcmp(dir, "/") ? "/" : "", name);
	return out;
}

char *path_child(const char *rel, const char *name)
{
	return *rel ? path_join(rel, name) : strdup(name);
}
