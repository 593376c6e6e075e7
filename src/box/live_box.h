/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the supervisor of a live box, by the box or by a run in it. */
#ifndef BOX_LIVE_BOX_H
#define BOX_LIVE_BOX_H

#include "aisbx/error.h"

/* KEY: name or id of a box, or id of a run. -ESRCH: nothing runs there. */
int live_box_reach(const char *key, int *ret_fd, struct aisbx_error *e);
/* The same, but never one that joined the box of another: who started the box, and has its network. */
int live_box_supervisor(const char *key, int *ret_fd, struct aisbx_error *e);

#endif
