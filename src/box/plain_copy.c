/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and removes plain copies of projects. */
#include "box/plain_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"
#include "layer/layer.h"
#include "layer/pin.h"

#define PREFIX "copy-"

void plain_copy_finish(struct plain_copy *c)
{
	char *name = c->dir ? strrchr(c->dir, '/') : NULL;

	if (name) {
		scoped(drop_fd) int parent = -1;

		*name = '\0';
		parent = open(c->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (parent >= 0)
			layer_remove_at(parent, name + 1);
	}
	close_fd(&c->lock);
	free(c->dir);
	free(c->project);
	free(c->home);
	free(c->tmp);
	*c = (struct plain_copy)PLAIN_COPY_INIT;
}

/* -1: somebody uses it, or it is gone. */
static int open_locked(int at, const char *name)
{
	scoped(drop_fd) int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 ? take_fd(&fd) : -1;
}

static void sweep(const char *state)
{
	scoped(drop_dir) DIR *dir = opendir(state);
	const struct dirent *entry;
	int r = 0;

	while (dir && (entry = dir_next(dir, &r))) {
		struct stat st;
		scoped(drop_fd) int lock = -1;

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0 ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    time(NULL) - st.st_mtim.tv_sec < 60) /* one that is being made is not locked yet */
			continue;
		lock = open_locked(dirfd(dir), entry->d_name);
		if (lock >= 0)
			layer_remove_at(dirfd(dir), entry->d_name);
	}
}

static int make_parts(struct plain_copy *c)
{
	c->project = path_join(c->dir, "project");
	c->home = path_join(c->dir, "home");
	c->tmp = path_join(c->dir, "tmp");
	if (!c->project || !c->home || !c->tmp)
		return -ENOMEM;
	return mkdir(c->project, 0700) < 0 || mkdir(c->home, 0700) < 0 || mkdir(c->tmp, 0700) < 0 ? -errno
												  : 0;
}

int plain_copy_make(const char *project, struct plain_copy *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(plain_copy_finish) struct plain_copy c = PLAIN_COPY_INIT;
	const struct pin_how how = { 0 };
	struct pin_count count;
	int r = box_state_open(&state, e);

	if (r < 0)
		return r;
	if (path_is_within(state.dir, project))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "'%s' contains what aisbx keeps, and cannot be copied; go to a project",
				    project);
	sweep(state.dir);
	c.dir = path_join(state.dir, PREFIX "XXXXXX");
	if (!c.dir)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "copy '%s'", project);
	if (!mkdtemp(c.dir)) {
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", c.dir);
		free(c.dir);
		c.dir = NULL;
		return r;
	}
	c.lock = open_locked(AT_FDCWD, c.dir);
	r = make_parts(&c);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "make a copy in '%s'", c.dir);
	r = pin_copy(project, c.project, &how, &count, e);
	if (r < 0)
		return r;
	*ret = c;
	c = (struct plain_copy)PLAIN_COPY_INIT;
	return 0;
}
