/* SPDX-License-Identifier: Apache-2.0 */
/* Whether runs can work at all, asked before a box is made. */
#ifndef BOX_CAN_RUN_H
#define BOX_CAN_RUN_H

#include "aisbx/error.h"

/* Of boxes of PROJECT (absolute; NULL: none). Cheap: what every run would fail with, in the same words. */
int box_can_run(const char *project, struct aisbx_error *e);

#endif
