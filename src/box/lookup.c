/* SPDX-License-Identifier: Apache-2.0 */
/* Finding boxes by the names that callers use. */
#include "box/lookup.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"

int lookup_open_box(const char *key, bool lock, struct lookup *ret, struct aisbx_error *e)
{
	int r = lookup_open(key, lock, ret, e);

	if (r == 0 && ret->snapshot[0])
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "'%s' is a snapshot, but a box is needed; give '%s'", key, ret->box.name);
	return r;
}

int lookup_open(const char *key, bool lock, struct lookup *ret, struct aisbx_error *e)
{
	char name[BOX_KEY_MAX + 1];
	int r = box_parse_point(key, name, ret->snapshot, e);

	if (r == 0)
		r = box_state_open(&ret->state, e);
	if (r == 0)
		r = box_find(&ret->state, name, &ret->box, e);
	if (r == 0 && lock) {
		char id[STORE_ID_MAX];

		memcpy(id, ret->box.id, sizeof(id));
		r = box_lock(&ret->state, &ret->box, &ret->lock, e);
		store_box_finish(&ret->box);
		if (r ==
		    0) /* read again: it may have moved until the lock was ours; by id, for names move, too */
			r = box_find(&ret->state, id, &ret->box, e);
	}
	return r;
}

void lookup_finish(struct lookup *p)
{
	store_box_finish(&p->box);
	if (p->state.dir)
		box_state_close(&p->state);
	close_fd(&p->lock);
}
