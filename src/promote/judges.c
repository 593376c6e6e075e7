/* SPDX-License-Identifier: Apache-2.0 */
/* Which files decide checks of a project, and what it means if a box changed one. */
#include "promote/judges.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/intents.h"
#include "box/project.h"

int box_judges_load(const char *project, struct judges *ret, struct aisbx_error *e)
{
	scoped(intent_list_finish) struct intent_list ways = { 0 };
	scoped(project_finish) struct project p = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	int r;

	/* A file that is somebody else's decides nothing; one with a mistake would decide something unknown.
	 */
	if (box_project_load(project, 0, &p, &ignored) == 0 && (r = project_need(&p, JUDGES_NEED, e)) < 0)
		return aisbx_hint(e, "'aisbx project check' reports all problems");
	if (ignored.code || !p.files.n || box_intents(NULL, NULL, project, "", &p, &ways, &ignored) < 0)
		return ignored.code == -ENOMEM
			       ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM,
					    "find the files that decide checks of '%s'", project)
			       : 0;
	judges_add_all(ret, &p, &ways, project);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM,
					"find the files that decide checks of '%s'", project)
			   : 0;
}

const struct trap *gate_judges_changed(const struct judges *j, const char *path, bool is_there)
{
	static const struct trap trap = { "gate", "it decides checks of changes: your own version was used "
						  "for this box, and this one would be used for the next" };
	enum judge_kind kind = judges_find(j, path);

	return kind > JUDGE_TEST || (kind && is_there) ? &trap : NULL;
}

int box_judges_find(const struct merge_plan *plan, const char *project, struct box_trap **traps,
		    size_t *n_traps, struct aisbx_error *e)
{
	scoped(judges_finish) struct judges judges = { 0 };
	scoped(drop_mem) char *real =
		project ? realpath(project, NULL) : NULL; /* as its aisbx.yaml is found */
	int r = real ? box_judges_load(real, &judges, e) : 0;

	for (size_t i = 0; r == 0 && judges.n && i < plan->n; i++) {
		const struct merge_step *step = &plan->steps[i];
		scoped(drop_mem) char *path = path_join(real, step->path);
		const struct trap *found;

		if (step->op == MERGE_NOTHING || (step->op == MERGE_ATTRS && !(step->take & DIFF_MODE)) ||
		    S_ISDIR(step->now.st_mode))
			continue;
		found = path ? gate_judges_changed(&judges, path, step->old.st_mode) : NULL;
		if (!path || (found && box_traps_add(traps, n_traps, step->path, found) < 0))
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM,
					  "find the files that decide checks of the project");
	}
	return r;
}
