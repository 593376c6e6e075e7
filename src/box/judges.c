/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a project has its changes judged by, and what it means that a box changed one. */
#include "box/judges.h"

#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/intents.h"
#include "box/project.h"

int box_judges_load(const char *project, struct judges *ret, struct aisbx_error *e)
{
	scoped(intent_list_finish) struct intent_list ways = { 0 };
	scoped(project_finish) struct project p = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (box_project_load(project, &p, &ignored) < 0 || !p.files.n || box_intents(NULL, NULL, project, "", &p, &ways, &ignored) < 0)
		return ignored.code == -ENOMEM ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "look for what '%s' is judged by", project) : 0;
	judges_add_all(ret, &p, &ways, project);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "look for what '%s' is judged by", project) : 0;
}

const struct trap *gate_judges_changed(const struct judges *j, const char *path, bool is_there)
{
	static const struct trap trap = { "gate", "changes are judged by it: your own version counted for this box, and this one would for the next" };
	enum judge_kind kind = judges_find(j, path);

	return kind > JUDGE_TEST || (kind && is_there) ? &trap : NULL;
}
