/* SPDX-License-Identifier: Apache-2.0 */
/* A box as its callers see it: joins drivers, layers and policy. */
#ifndef BOX_BOX_H
#define BOX_BOX_H

#include "driver/driver.h"
#include "jail/plan.h"

/* Everything a run needs, and the memory it stands on. */
struct box_request {
	struct driver_spec spec; /* borrows from the lists below */
	const char *driver;	 /* borrowed; NULL: native */
	struct driver_mount *mounts; /* owned */
	struct strlist kept, hides, set_env, argv;
};

void box_request_finish(struct box_request *req);

/* Runs a command in a box that lives as long as the command. */
int box_run(const struct box_request *req, struct driver_result *ret_result, struct aisbx_error *e);

#endif
