/* SPDX-License-Identifier: Apache-2.0 */
/* What every opening of the store does, told; and a store that is lost, made anew. */
#include "promote/recover.h"

#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/rebuild.h"
#include "promote/promote.h"

void promote_recovered_finish(struct promote_recovered *r)
{
	if (r->is_rebuilt)
		store_rebuild_finish(&r->rebuilt);
}

int promote_recover(const struct caller *by, const struct promote_recover_request *req,
		    struct promote_recovered *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	int r = 0;

	if (req->rebuild && by->owner) /* what it finds belongs to everybody */
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
				    "only the person can rebuild the store: run 'aisbx recover --rebuild' on "
				    "the command line");
	if (req->rebuild) {
		r = box_rebuild(&ret->rebuilt, e);
		ret->is_rebuilt = true;
	}
	if (r == 0)
		r = box_state_open(&state, e);
	ret->found = state.recovered;
	if (r == 0 && !ret->found.action)
		r = box_recover(&state, req->give_up, &ret->found, e);
	return r;
}
