/* SPDX-License-Identifier: Apache-2.0 */
/* The time at which a run began, written beside what it changes. */
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/base.h"
#include "sys/sys.h"

int base_open_window(const char *dir, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(dir, "window");
	scoped(drop_fd) int fd = -1;
	struct timespec now;
	int r;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "start a run in '%s'", dir);
	clock_gettime(CLOCK_REALTIME_COARSE, &now); /* the clock files are stamped with */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) /* one that was not closed reaches further back */
		return errno == EEXIST ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, errno, "make '%s'", path);
	r = sys_write_all(fd, &now, sizeof(now));
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "write '%s'", path) : 0;
}

int base_close_window(const char *dir, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(dir, "window");

	if (!path)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "end a run in '%s'", dir);
	return unlink(path) < 0 && errno != ENOENT
		       ? aisbx_fail(e, AISBX_AREA_LAYER, errno, "remove '%s'", path)
		       : 0;
}
