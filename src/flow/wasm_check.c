/* SPDX-License-Identifier: Apache-2.0 */
/* Judges by what a module says of the facts. */
#include "flow/wasm_check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/module_run.h"

#define WHY_SHOWN 200

static int tell(const struct run_report *done, bool *ret_holds, char **ret_why, struct aisbx_error *e)
{
	const char *said = done->output[0] ? done->output[0] : "";
	int n = (int)strcspn(said, "\r\n");

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
	int r = path ? 0 : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "find a check");

	if (r == 0 && !path_is_within(path, dir))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				 "it is not in the project; it must be");
	if (r == 0)
		r = module_run(by, dir, path, facts, &done, e);
	if (r == 0)
		r = tell(&done, ret_holds, ret_why, e);
	return r < 0 ? aisbx_context(e, "check '%.80s'", file) : 0;
}
