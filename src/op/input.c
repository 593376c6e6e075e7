/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `input`: bytes for the command of a detached run. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "op/args.h"
#include "box/live_run.h"

#define CHUNK 65536

static int write_all(int fd, const char *data, size_t len, struct aisbx_error *e)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE)
			return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, EPIPE,
					    "the command does not read its input any more");
		if (n < 0)
			return aisbx_fail(e, AISBX_AREA_RUN, errno, "write to the command's input");
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Straight into the command's pipe: its supervisor has nothing to do with it. */
static int pass(int from, int to, json_int_t *ret_bytes, struct aisbx_error *e)
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
		*ret_bytes += r == 0 ? n : 0;
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

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *key = json_string_value(json_object_get(args, "run"));
	bool close_it = json_is_true(json_object_get(args, "close"));
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	scoped(drop_fd) int to = -1;
	char id[STORE_ID_MAX];
	json_int_t bytes = 0;
	int none = -1, r = ask(key, false, id, &to, e);

	if (r < 0)
		return r;
	sigaction(SIGPIPE, &ignore, &before);
	r = pass(ctx->by.stdin_fd, to, &bytes, e);
	sigaction(SIGPIPE, &before, NULL);
	close_fd(&to);
	if (r == 0 && close_it) {
		r = ask(id, true, id, &none, e);
		if (r == -ESRCH ||
		    r == -EPIPE) { /* what it read was enough for it, or another was faster: it is closed */
			*e = (struct aisbx_error)AISBX_ERROR_INIT;
			r = 0;
		}
	}
	if (r == 0)
		*ret_result = json_pack("{s:s, s:I, s:b}", "run", id, "bytes", bytes, "closed", close_it);
	return r;
}

static const struct op_param params[] = {
	RUN_PARAM,
	{ "close", 0, OP_FLAG, 0, NULL, "afterwards close it: the command sees the end of its input" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "run", "string", "id" },
	{ "bytes", "integer", "that were passed on" },
	{ "closed", "boolean", "the command's input is closed now" },
	{ NULL, NULL, NULL },
};

const struct op op_input = {
	.name = "input",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.no_tool = "there is no standard input to give",
	.method = "run.input",
	.summary = "Write to the input of a detached run",
	.about = "Passes standard input on to the command of a run that was started with 'aisbx run --detach "
		 "-i', to its end.\n"
		 "The command's input stays open for the next time, unless --close is given.",
	.example = "echo help | aisbx input r-1f2e\n"
		   "aisbx input --close r-1f2e </dev/null",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
