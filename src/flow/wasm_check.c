/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a module as a check, in a box of the profile strict. */
#include "flow/wasm_check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/execute.h"

#define TIMEOUT_S  30
#define OUTPUT_MAX (64 << 10)
#define WHY_SHOWN  200

static int facts_file(const json_t *facts, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = json_dumps(facts, JSON_ENCODE_ANY | JSON_COMPACT);
	scoped(drop_fd) int fd = text ? memfd_create("aisbx-facts", MFD_CLOEXEC) : -1;

	if (fd < 0 || io_write_all(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, text ? errno : ENOMEM, "write the facts");
	return take_fd(&fd);
}

static int run(const struct caller *by, const char *dir, const char *path, int facts, struct run_report *ret,
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
	run_options_limit(&options, LIMIT_OUTPUT, OUTPUT_MAX);
	run_options_limit(&options, LIMIT_FUEL, WASM_CHECK_FUEL);
	strlist_add(&options.command, path);
	if (options.command.failed)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "start the check");
	quiet.stdin_fd = facts;
	quiet.out_fds[0] = quiet.out_fds[1] = -1;
	quiet.begun = NULL;
	quiet.keep_output = false;
	return run_execute(&quiet, &options, ret, e);
}

static int tell(const struct run_report *done, bool *ret_holds, char **ret_why, struct aisbx_error *e)
{
	const char *said = done->output[0] ? done->output[0] : "";
	int n = (int)strcspn(said, "\r\n");

	if (done->limit != LIMIT_COUNT)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_POLICY, EDQUOT,
				    "it exceeded its limits: %.60s", limit_name(done->limit));
	if (done->error)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, ENOEXEC, "%.300s", done->error);
	if (done->exit_code != 0 && done->exit_code != 1)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "it ended with status %d; 0 is a pass, 1 is none", done->exit_status);
	n = n < WHY_SHOWN ? n : WHY_SHOWN;
	if ((n ? asprintf(ret_why, "%.*s", n, said)
	       : asprintf(ret_why, "the module exited with %d", done->exit_code)) < 0) {
		*ret_why = NULL;
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the result of a check");
	}
	*ret_holds = done->exit_code == 0;
	return 0;
}

int wasm_check_judge(const struct caller *by, const char *dir, const char *file, const json_t *facts,
		     bool *ret_holds, char **ret_why, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_resolve(dir, file);
	scoped(run_report_finish) struct run_report done = { 0 };
	scoped(drop_fd) int input = facts_file(facts, e);
	int r = input;

	if (r >= 0 && !path)
		r = aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "find a check");
	if (r >= 0 && !path_is_within(path, dir))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				 "it is not in the project; it must be");
	if (r >= 0)
		r = run(by, dir, path, input, &done, e);
	if (r >= 0)
		r = tell(&done, ret_holds, ret_why, e);
	return r < 0 ? aisbx_context(e, "check '%.80s'", file) : 0;
}
