/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a helper program in its fixed place, so that PATH cannot choose another. */
#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#ifndef AISBX_LIBEXECDIR
#define AISBX_LIBEXECDIR "/usr/libexec/aisbx"
#endif

/* Beside this program, below the prefix that it was moved to, or where it was built to be. */
static const char *const places[] = { "/", "/../libexec/aisbx/", AISBX_LIBEXECDIR "/" };
enum { BUILT_IN = 2, PLACES };

int program_open(const char *name, int *ret_fd, struct aisbx_error *e)
{
	char here[PATH_MAX], path[PATH_MAX + NAME_MAX];
	ssize_t n = readlink("/proc/self/exe", here, sizeof(here) - 1);
	const char *slash;
	int fd = -1;

	here[n > 0 ? n : 0] = '\0';
	slash = strrchr(here, '/');
	for (int i = slash ? 0 : BUILT_IN; i < PLACES && fd < 0; i++) {
		snprintf(path, sizeof(path), "%.*s%s%s", i < BUILT_IN ? (int)(slash - here) : 0, here,
			 places[i], name);
		fd = open(path, O_PATH | O_CLOEXEC);
	}
	if (fd < 0)
		return aisbx_refuse(
			e, aisbx_kind_of(AISBX_AREA_RUN, errno ? errno : ENOENT), AISBX_AREA_RUN,
			errno ? errno : ENOENT,
			"the helper program %s is neither beside aisbx nor in %s; install aisbx again", name,
			AISBX_LIBEXECDIR);
	*ret_fd = fd;
	return 0;
}
