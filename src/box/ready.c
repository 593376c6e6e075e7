/* SPDX-License-Identifier: Apache-2.0 */
/* The ready box of a caller: from the wish for one to its end. */
#include "box/ready.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "box/box.h"
#include "run/ready_box.h"

int box_ready_begin(struct caller *by, struct aisbx_error *e)
{
	struct ready_box *ready = calloc(1, sizeof(*ready));

	if (!ready)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a box ahead");
	box_new_id("r-", ready->run_id);
	ready->make = true;
	by->ready = ready;
	return 0;
}

bool box_ready_is_made(struct caller *by)
{
	by->ready->make = false;
	if (!by->ready->run)
		box_ready_end(by);
	return by->ready;
}

void box_ready_end(struct caller *by)
{
	ready_box_drop(by->ready);
	free(by->ready);
	by->ready = NULL;
}
