/* SPDX-License-Identifier: Apache-2.0 */
/* Looks upwards for the project that a person is in. */
#include "box/here.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/env.h"
#include "base/path.h"
#include "base/scope.h"
#include "project/root.h"

static int look(void *ctx, const char *path, bool follow, struct stat *ret)
{
	(void)ctx;
	return (follow ? stat(path, ret) : lstat(path, ret)) < 0 ? -errno : 0;
}

char *box_here(const char *cwd, const char *const *env)
{
	const char *given = env_dir(env, "HOME");
	scoped(drop_mem) char *home = given ? realpath(given, NULL) : NULL;
	const struct project_root_view v = {
		.home = home ? home : given, .uid = geteuid(), .gid = getegid(), .look = look
	};

	return strndup(cwd, project_root(cwd, &v));
}

const char *box_here_cwd(const struct caller *by, const char *project)
{
	return by->project && project && by->cwd && path_is_within(by->cwd, project) ? by->cwd : NULL;
}
