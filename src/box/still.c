/* SPDX-License-Identifier: Apache-2.0 */
/* Short-lived forks: nobody removes layers that a box needs, whatever happens to the original box. */
#include "box/still.h"

#include <errno.h>

#include "base/error.h"
#include "base/scope.h"

#define FORK_MS (3600u * 1000)

int still_open(const char *key, struct still *s, struct point *ret, struct aisbx_error *e)
{
	char name[STORE_ID_MAX];
	int r = point_open(key, true, ret, e);

	if (r != -EBUSY || !ret->snapshot[0])
		return r;
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	point_finish(ret);
	*ret = (struct point)POINT_INIT;
	r = point_open(key, false, ret, e);
	if (r < 0)
		return r;
	s->of = ret->box;
	ret->box.project = NULL; /* is in S now */
	point_finish(ret);
	*ret = (struct point)POINT_INIT;
	box_new_id("still-", name);
	r = box_scratch_make(key, name, FORK_MS, &s->fork, e);
	return r < 0 ? r : point_open(s->fork.name, true, ret, e);
}

void still_finish(struct still *s)
{
	store_box_finish(&s->of);
	box_scratch_drop(&s->fork);
}
