/* SPDX-License-Identifier: Apache-2.0 */
/* Which promotion is to be taken back, and taking it back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/owner.h"
#include "promote/promote.h"

/* Which one is meant, of a box or of a project; HERE and ID are the caller's to keep. */
static int find_meant(const struct caller *by, const struct promote_undo_request *req,
		      struct box_state *state, char **here, char id[STORE_ID_MAX],
		      struct box_undo_request *ret, struct aisbx_error *e)
{
	const char *box = req->box, *project = req->project;
	scoped(drop_mem) char *given = path_resolve(by->cwd ? by->cwd : "/", project       ? project
									     : by->project ? by->project
											   : ".");
	scoped(store_box_finish) struct store_box b = { 0 };
	int r;

	if (!!ret->id + !!box + !!project > 1)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give only one of a promotion, --box and --project");
	if (by->owner && !ret->id && !box) /* the newest may be anybody's */
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give the id of a promotion, as promote printed it: p- and 16 digits");
	if (ret->id)
		return 0;
	if (box) {
		r = box_find(state, box, &b, e);
		memcpy(id, b.id, sizeof(b.id));
		ret->box = id;
		return r;
	}
	*here = given ? realpath(given, NULL) : NULL; /* as targets are named */
	ret->here = *here;
	return *here ? 0
		     : aisbx_fail(e, AISBX_AREA_BOX, given ? errno : ENOMEM, "undo a promotion into '%s'",
				  given ? given : ".");
}

int promote_undo(const struct caller *by, const struct promote_undo_request *req, struct box_undo *ret,
		 struct aisbx_error *e)
{
	struct box_undo_request meant = { .id = req->id,
					  .dry_run = req->dry_run,
					  .resolution = req->resolution };
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(drop_mem) char *here = NULL;
	char id[STORE_ID_MAX];
	int r = box_state_open(&state, e);

	if (r == 0)
		r = find_meant(by, req, &state, &here, id, &meant, e);
	return r < 0 ? r : box_undo(&state, &meant, ret, e);
}
