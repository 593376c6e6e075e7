/* SPDX-License-Identifier: Apache-2.0 */
/* Where a submitter keeps its jobs, and who of several commands follows one: only that one may let it begin.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/agent/loop.h"
#include "fleet/client/client.h"
#include "fleet/client/project.h"

/* Ended jobs are shown for so long. */
#define KEEP_MS (7ull * 24 * 3600 * 1000)

int client_table_dir(char *ret_dir, size_t cap, struct aisbx_error *e)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int len;

	if (state && state[0] == '/')
		len = snprintf(ret_dir, cap, "%s/aisbx-fleet/jobs", state);
	else if (home && home[0] == '/')
		len = snprintf(ret_dir, cap, "%s/.local/state/aisbx-fleet/jobs", home);
	else
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_STORE, ENOENT,
				    "there is no place to keep jobs until their results have come: set "
				    "XDG_STATE_HOME or HOME to a "
				    "directory of your own");
	if (len >= (int)cap)
		return aisbx_fail(e, AISBX_AREA_STORE, ENAMETOOLONG, "keep jobs in '%.100s'", ret_dir);
	return 0;
}

int client_table_open(struct saved **ret, char *ret_dir, size_t cap, struct aisbx_error *e)
{
	struct saved *s = NULL;
	int r = client_table_dir(ret_dir, cap, e);

	if (r == 0)
		r = saved_open(ret_dir, "jobs.db", &s, e);
	if (r == 0)
		r = saved_forget(s, loop_now().wall_ms - KEEP_MS, e);
	if (r == 0)
		client_project_forget(ret_dir, s);
	if (r < 0)
		saved_close(s);
	else
		*ret = s;
	return r;
}

static void lock_path(const char *dir, const char *id, char *ret, size_t cap)
{
	snprintf(ret, cap, "%s/%s.lock", dir, id);
}

int client_job_lock(const char *dir, const char *id, int *ret_fd, struct aisbx_error *e)
{
	char path[PATH_MAX + 80];
	int fd;

	lock_path(dir, id, path, sizeof(path));
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, errno, "open '%s'", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		return -EBUSY;
	}
	*ret_fd = fd;
	return 0;
}

void client_job_unlock(const char *dir, const char *id, int fd)
{
	char path[PATH_MAX + 80];

	if (fd < 0)
		return;
	lock_path(dir, id, path, sizeof(path));
	unlink(path);
	close(fd);
}
