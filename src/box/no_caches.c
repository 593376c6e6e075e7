/* SPDX-License-Identifier: Apache-2.0 */
/* One empty file for each box that sees no caches. */
#include "box/no_caches.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

static char *place_of(const char *dir, const char *id)
{
	char *path;

	return asprintf(&path, "%s/no-caches/%s", dir, id) < 0 ? NULL : path;
}

int box_no_caches_set(const char *dir, const char *id, struct aisbx_error *e)
{
	scoped(drop_mem) char *place = path_join(dir, "no-caches");
	scoped(drop_mem) char *path = place_of(dir, id);
	scoped(drop_fd) int fd = -1;

	if (!place || !path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a box without caches");
	mkdir(place, 0700); /* or it is there */
	fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", path) : 0;
}

bool box_no_caches(const char *dir, const char *id)
{
	scoped(drop_mem) char *path = place_of(dir, id);

	return !path || access(path, F_OK) == 0 || errno != ENOENT;
}

void box_no_caches_drop(const char *dir, const char *id)
{
	scoped(drop_mem) char *path = place_of(dir, id);

	if (path)
		unlink(path);
}
