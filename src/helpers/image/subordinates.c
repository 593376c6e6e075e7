/* SPDX-License-Identifier: Apache-2.0 */
/* Enters a user namespace in which files can belong to the subordinate ids of this user. */
#include "helpers/image/subordinates.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "helpers/image/parent.h"

int enter_subordinates(const struct sys_subids *ids, struct aisbx_error *e)
{
	int r = sys_subids_enter(ids, SYS_SUBIDS_BOX);

	if (r == 0 && geteuid() != 0)
		r = -EPERM;
	if (r < 0)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, -r,
			"newuidmap and newgidmap did not give the subordinate ids from %u and %u on; "
			"see /etc/subuid and /etc/subgid",
			ids->uid, ids->gid);
	end_with_parent(); /* other ids cleared it */
	return 0;
}
