/* SPDX-License-Identifier: Apache-2.0 */
/* The size of the terminal of a detached run. The kernel tells the command. */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/control.h"

/* The side of the terminal that its supervisor has. */
static int find_terminal(const char *key, char ret_id[STORE_ID_MAX], int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int live = -1;
	int r = live_run_reach(key, ret_id, &live, e);

	if (r == 0)
		r = run_ask_input(live, false, ret_fd, e);
	if (r == -ESTALE)
		return live_run_ended(ret_id, e);
	if (r == -EOPNOTSUPP || (r == 0 && !isatty(*ret_fd)))
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			"run '%s' has no terminal that could be resized; 'aisbx run --detach --tty' "
			"starts one that has",
			ret_id);
	return r;
}

int run_resize(const char *run, struct run_size *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	struct winsize size = { 0 };
	int r = find_terminal(run, ret->id, &fd, e);

	if (r < 0)
		return r;
	if (ioctl(fd, TIOCGWINSZ, &size) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "read the size of the terminal of run '%s'",
				  ret->id);
	size.ws_row = ret->rows ? ret->rows : size.ws_row;
	size.ws_col = ret->cols ? ret->cols : size.ws_col;
	if (ioctl(fd, TIOCSWINSZ, &size) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "resize the terminal of run '%s'", ret->id);
	ret->rows = size.ws_row;
	ret->cols = size.ws_col;
	return 0;
}
