/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes for the command of a detached run. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "box/control.h"

#define CHUNK 65536

static int write_all(int fd, const char *data, size_t len, struct aisbx_error *e)
{
	int r = io_write_all(fd, data, len);

	if (r == -EPIPE)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, EPIPE,
				    "the command has closed its input");
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "write to the command's input") : 0;
}

/* Straight into the command's pipe: its supervisor has nothing to do with it. */
static int pass(int from, int to, uint64_t *ret_bytes, struct aisbx_error *e)
{
	char chunk[CHUNK];
	int r = 0;

	while (r == 0 && from >= 0) {
		ssize_t n = read(from, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return aisbx_fail(e, AISBX_AREA_RUN, errno, "read standard input");
		if (n == 0)
			break;
		r = write_all(to, chunk, (size_t)n, e);
		*ret_bytes += r == 0 ? (uint64_t)n : 0;
	}
	return r;
}

/* One question per connection. */
static int ask(const char *key, bool close_it, char ret_id[STORE_ID_MAX], int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int live = -1;
	int r = live_run_reach(key, ret_id, &live, e);

	if (r == 0)
		r = run_ask_input(live, close_it, ret_fd, e);
	return r == -ESTALE ? live_run_ended(ret_id, e) : r;
}

int run_input(const struct caller *by, const char *run, bool close, struct run_input *ret,
	      struct aisbx_error *e)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	scoped(drop_fd) int to = -1;
	int none = -1, r = ask(run, false, ret->id, &to, e);

	if (r < 0)
		return r;
	sigaction(SIGPIPE, &ignore, &before);
	r = pass(by->stdin_fd, to, &ret->bytes, e);
	sigaction(SIGPIPE, &before, NULL);
	close_fd(&to);
	if (r == 0 && close) {
		r = ask(ret->id, true, ret->id, &none, e);
		if (r == -ESRCH ||
		    r == -EPIPE) { /* what it read was enough for it, or another was faster: it is closed */
			*e = (struct aisbx_error)AISBX_ERROR_INIT;
			r = 0;
		}
	}
	return r;
}
