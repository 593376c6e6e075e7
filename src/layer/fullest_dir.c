/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the names of each directory, one after the other, and remembers only the fullest. */
#include "layer/fullest_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/copy.h"

/* What lies deeper is not looked at: the names of the directories above are told anyhow. */
#define MAX_DEPTH 64

struct fullest {
	char path[PATH_MAX]; /* where we are */
	char most[PATH_MAX]; /* the fullest so far */
	size_t n;
};

static void look(struct fullest *c, int fd, int depth)
{
	int r = 0;
	scoped(drop_dir) DIR *dir = dir_take(fd, &r);
	size_t len = strlen(c->path), n = 0;
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = dir_next(dir, &r))) {
		size_t more = strlen(entry->d_name) + 1;
		int below = -1;

		n++;
		if ((entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) || depth == MAX_DEPTH ||
		    len + more >= sizeof(c->path))
			continue;
		below = copy_open(dirfd(dir), entry->d_name);
		snprintf(c->path + len, sizeof(c->path) - len, "%s%s", len ? "/" : "", entry->d_name);
		if (below >= 0)
			look(c, below, depth + 1);
		c->path[len] = '\0';
	}
	if (n > c->n) {
		c->n = n;
		memcpy(c->most, c->path, sizeof(c->most));
	}
}

int fullest_dir_refuse(const char *const *ups, size_t n, struct aisbx_error *e)
{
	struct fullest c = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		int fd = copy_open(AT_FDCWD, ups[i]);

		if (fd >= 0)
			look(&c, fd, 0);
	}
	memory_refuse(e, AISBX_AREA_LAYER);
	if (!c.n)
		return e->code;
	return aisbx_hint(e,
			  "the directory with the most, %zu, is '%s' of the box: remove some there, or read "
			  "single files with 'aisbx file read'",
			  c.n, *c.most ? path_tail(c.most, PATH_TOLD) : ".");
}
