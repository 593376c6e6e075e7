/* SPDX-License-Identifier: Apache-2.0 */
/* Short-lived forks: nobody removes layers that a box needs, whatever happens to the original box. */
#include "box/hold.h"

#include <errno.h>

#include "base/error.h"
#include "base/scope.h"

#define FORK_MS (3600u * 1000)

int hold_open(const char *key, struct hold *s, struct lookup *ret, struct aisbx_error *e)
{
	char name[STORE_ID_MAX];
	int r = lookup_open(key, true, ret, e);

	if (r != -EBUSY || !ret->snapshot[0])
		return r;
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	lookup_finish(ret);
	*ret = (struct lookup)LOOKUP_INIT;
	r = lookup_open(key, false, ret, e);
	if (r < 0)
		return r;
	s->of = ret->box;
	ret->box.project = NULL; /* is in S now */
	lookup_finish(ret);
	*ret = (struct lookup)LOOKUP_INIT;
	box_new_id("still-", name);
	r = box_scratch_make(key, name, FORK_MS, &s->fork, e);
	return r < 0 ? r : lookup_open(s->fork.name, true, ret, e);
}

void hold_finish(struct hold *s)
{
	store_box_finish(&s->of);
	box_scratch_drop(&s->fork);
}
