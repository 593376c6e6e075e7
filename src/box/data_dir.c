/* SPDX-License-Identifier: Apache-2.0 */
/* A directory in the state directory, which no box sees. */
#include "box/data_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"

int box_data_dir(char **ret_path, struct aisbx_error *e)
{
	scoped(drop_mem) char *state = box_state_dir(e), *path = state ? path_join(state, "data") : NULL;
	int fd;

	if (!state || store_make_dirs(state, e) < 0)
		return e->code;
	if (!path)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "make a directory in '%s'", state);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "make '%s'", path);
	fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "open '%s'", path);
	*ret_path = take_mem(&path);
	return fd;
}
