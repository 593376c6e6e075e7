/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a module as a judge, in a box of the profile strict. */
#include "box/module_run.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "box/execute.h"

#define TIMEOUT_S 30

static int input_file(const json_t *input, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = json_dumps(input, JSON_ENCODE_ANY | JSON_COMPACT);
	scoped(drop_fd) int fd = text ? memfd_create("aisbx-facts", MFD_CLOEXEC) : -1;

	if (fd < 0 || io_write_all(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, text ? errno : ENOMEM, "write the facts");
	return take_fd(&fd);
}

static int run(const struct caller *by, const char *dir, const char *path, int input, struct run_report *ret,
	       struct aisbx_error *e)
{
	scoped(run_options_finish) struct run_options options = { .profile = "strict",
								  .driver = "wasm",
								  .project = dir,
								  .no_net = true,
								  .no_services = true,
								  .replayable = true };
	struct caller quiet = *by;

	run_options_limit(&options, LIMIT_WALL_TIME, TIMEOUT_S * 1000);
	run_options_limit(&options, LIMIT_OUTPUT, MODULE_RUN_OUTPUT);
	run_options_limit(&options, LIMIT_FUEL, MODULE_RUN_FUEL);
	strlist_add(&options.command, path);
	if (options.command.failed)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "start the module");
	quiet.stdin_fd = input;
	quiet.out_fds[0] = quiet.out_fds[1] = -1;
	quiet.begun = NULL;
	quiet.keep_output = false;
	quiet.ready = NULL; /* that one is for the program which is judged */
	return run_execute(&quiet, &options, ret, e);
}

int module_run(const struct caller *by, const char *dir, const char *path, const json_t *input,
	       struct run_report *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = input_file(input, e);
	int r = fd < 0 ? fd : run(by, dir, path, fd, ret, e);

	if (r < 0)
		return r;
	if (ret->limit != LIMIT_COUNT)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_POLICY, EDQUOT,
				    "it exceeded its limits: %.60s", limit_name(ret->limit));
	if (ret->error)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, ENOEXEC, "%.300s", ret->error);
	if (ret->exit_code < 0 || json_object_get(ret->said, "trap"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "it was stopped: %.100s",
				    json_string_value(json_object_get(ret->said, "trap"))
					    ? json_string_value(json_object_get(ret->said, "trap"))
					    : "by a signal");
	return 0;
}
